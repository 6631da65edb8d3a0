/** Draws the frame of a chat before the rest of hermes is loaded: who starts a chat can type at once. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isatty } from "node:tty";
import { attempt } from "../../base/attempt.ts";
import { type Environment, readEnvironment } from "../../config/environment.ts";
import type { Output } from "../output.ts";
import type { ChatFrame } from "./chat-frame.ts";
import { canBeDrawnOn } from "./drawable.ts";

/** A frame that waits for its chat. */
export interface EarlyFrame {
	/** Gives the frame to the chat, once; undefined when it has ended. */
	take(): ChatFrame | undefined;
	/** Gives the terminal back, unless a chat has taken the frame: there will be no chat, or something is printed. */
	end(): void;
	/** `output`, which ends the frame before it prints. */
	endedBy(output: Output): Output;
}

/** Flags that a chat may start with, and whether a value follows. With any other word the frame waits for its turn. */
export const chatWords: Readonly<Record<string, boolean>> = {
	"-m": true,
	"--model": true,
	"--provider": true,
	"--base-url": true,
	"--backend": true,
	"-t": true,
	"--toolsets": true,
	"-r": true,
	"--resume": true,
	"--max-turns": true,
	"--yolo": false,
	"--tui": false,
	"-c": false,
	"--continue": false,
};

/** Draws the frame when it is certain that `args` start a chat that draws; undefined otherwise. */
export async function openEarlyFrame(args: readonly string[], version: string): Promise<EarlyFrame | undefined> {
	if (![0, 1, 2].every((fd) => isatty(fd)) || !startsChat(args)) return undefined;
	const environment = readEnvironment();
	if (!isDrawn(environment, args)) return undefined;
	const { openChatFrame } = await import("./chat-frame.ts");
	let frame: ChatFrame | undefined = await openChatFrame({ noColor: environment.noColor, version });
	const end = () => {
		frame?.end();
		frame = undefined;
	};
	return {
		take() {
			const taken = frame;
			frame = undefined;
			return taken;
		},
		end,
		endedBy: (output) => ({
			isTerminal: output.isTerminal,
			write(text) {
				end();
				output.write(text);
			},
		}),
	};
}

/** Whether `args` can mean nothing but a chat. */
export function startsChat(args: readonly string[]): boolean {
	const words = args[0] === "chat" ? args.slice(1) : args;
	for (let at = 0; at < words.length; at++) {
		const takesValue = chatWords[words[at] ?? ""];
		if (takesValue === undefined) return false;
		if (takesValue) at++;
	}
	return true;
}

/** A guess that errs on the side of not drawing: the settings are read later. */
function isDrawn({ hermesHome, variables }: Environment, args: readonly string[]): boolean {
	if (!canBeDrawnOn(variables.TERM) || (variables.ACCESSIBLE ?? "") !== "") return false;
	const config = attempt(() => readFileSync(join(hermesHome, "config.yaml"), "utf8"));
	// Without settings the first thing may be a question about them.
	const isSetUp = config.ok || args.includes("--base-url") || args.includes("--provider");
	return isSetUp && !(config.ok && /\binterface\s*["']?\s*:\s*["']?cli\b/.test(config.value));
}
