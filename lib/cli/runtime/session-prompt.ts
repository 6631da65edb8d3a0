/** The system prompt of a conversation's sessions: what the settings, the project and the user's home say. */

import { join } from "node:path";
import { type ContextRules, contextPart, projectContext } from "../../agent/prompt/project-context.ts";
import { buildSystemPrompt, type PromptFacts } from "../../agent/prompt/system-prompt.ts";
import { readText } from "../../config/files.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Cli } from "../subcommand.ts";
import type { Place } from "./open-place.ts";

/** What prompts are made of. */
export interface SessionPromptOptions {
	readonly config: LoadedConfig;
	readonly place: Place;
	/** Told what was kept from the model. */
	onWarning(message: string): void;
}

/** Makes the prompts of one conversation. */
export interface SessionPrompt {
	/** With what the files said when they were read last. */
	build(session: Pick<PromptFacts, "tools" | "notes">): string;
	/** Reads the files again. */
	refresh(signal: AbortSignal): Promise<void>;
}

/** Reads the files of the project and of the user's home. */
export async function openSessionPrompt(
	cli: Cli,
	{ config, place, onWarning }: SessionPromptOptions,
): Promise<SessionPrompt> {
	const { shell, sharesHostFiles } = place;
	const told = new Set<string>();
	const rules: ContextRules = {
		maxCharacters: config.get("context_file_max_chars"),
		allowed: new Set(config.get("security.allowed_context")),
		onWarning(message) {
			if (!told.has(message)) onWarning(message);
			told.add(message);
		},
	};
	let project = "";
	let soul = "";
	const refresh = async (signal: AbortSignal) => {
		const text = readText(join(cli.environment.hermesHome, "SOUL.md")) ?? "";
		soul = contextPart({ name: "SOUL.md", text: text.trim() }, rules).text;
		const files = { execute: (command: string, options = {}) => shell.execute(command, { signal, ...options }) };
		project = await projectContext(files, shell.cwd, rules);
	};
	await refresh(cli.interruption.signal);
	return {
		refresh,
		build: (session) =>
			buildSystemPrompt({
				cwd: shell.cwd,
				ranOn: shell.ranOn,
				date: new Date(),
				platform: sharesHostFiles ? process.platform : "linux",
				soul,
				surface: "cli",
				saysWhenDone: config.get("agent.task_completion_guidance"),
				machine: config.get("agent.environment_hint"),
				added: config.get("agent.system_prompt"),
				project,
				...session,
			}),
	};
}
