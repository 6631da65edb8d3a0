/** The system prompt of a conversation's sessions: what the settings, the project and the user's home say. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { createFolderHints, type FolderHints, hintFiles } from "../../agent/prompt/folder-hints.ts";
import { describedMachine, ownMachine } from "../../agent/prompt/machine.ts";
import { modelGuidance } from "../../agent/prompt/model-guidance.ts";
import { personalities } from "../../agent/prompt/personalities.ts";
import { type ContextRules, contextPart, projectContext } from "../../agent/prompt/project-context.ts";
import { buildSystemPrompt, type PromptFacts } from "../../agent/prompt/system-prompt.ts";
import { readText } from "../../config/files.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { FilePlace } from "../../files/place.ts";
import type { Cli } from "../subcommand.ts";
import type { Place } from "./open-place.ts";

/** What prompts are made of. */
export interface SessionPromptOptions {
	readonly config: LoadedConfig;
	readonly place: Place;
	/** Told what was kept from the model. */
	onWarning(message: string): void;
}

/** Who speaks in the sessions that begin from now on: a prompt that was sent never changes. */
export interface PersonalityChoice {
	/** What each adds to the prompt, by name. */
	readonly all: ReadonlyMap<string, string>;
	/** Empty for none. */
	readonly chosen: string;
	choose(name: string): void;
}

/** Makes the prompts of one conversation. */
export interface SessionPrompt {
	readonly personality: PersonalityChoice;
	/** With what the files said when they were read last. */
	build(session: Pick<PromptFacts, "tools" | "notes"> & { readonly model: string }): string;
	/** Reads the files again. */
	refresh(signal: AbortSignal): Promise<void>;
	/** What folders below the session's own say; each session has hints of its own. */
	openHints(): FolderHints;
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
	const root = shell.cwd;
	const filesUntil = (signal: AbortSignal): FilePlace => ({
		execute: (command, options) => shell.execute(command, { signal, ...options }),
	});
	let project = "";
	let soul = "";
	const refresh = async (signal: AbortSignal) => {
		const text = readText(join(cli.environment.hermesHome, "SOUL.md")) ?? "";
		soul = contextPart({ name: "SOUL.md", text: text.trim() }, rules).text;
		project = await projectContext(filesUntil(signal), shell.cwd, rules);
	};
	await refresh(cli.interruption.signal);
	const system = config.get("agent.environment_probe") ? await machineOf(cli, place, filesUntil) : "";
	const personality = openPersonality(config, onWarning);
	return {
		refresh,
		personality,
		openHints: () =>
			createFolderHints({
				place: filesUntil(cli.interruption.signal),
				root,
				rules,
				...(sharesHostFiles && { mayHold: (folder) => hintFiles.some((name) => existsSync(join(folder, name))) }),
			}),
		build: ({ model, ...session }) =>
			buildSystemPrompt({
				cwd: shell.cwd,
				ranOn: shell.ranOn,
				date: new Date(),
				platform: sharesHostFiles ? process.platform : "linux",
				system,
				soul,
				surface: "cli",
				saysWhenDone: config.get("agent.task_completion_guidance"),
				guidance: modelGuidance(model, config.get("agent.tool_use_enforcement")),
				machine: config.get("agent.environment_hint"),
				added: [config.get("agent.system_prompt"), personality.all.get(personality.chosen)]
					.filter(Boolean)
					.join("\n\n"),
				project,
				...session,
			}),
	};
}

/** Asked once: a machine does not become another one. */
function machineOf(cli: Cli, { sharesHostFiles }: Place, placeUntil: (signal: AbortSignal) => FilePlace) {
	if (sharesHostFiles) return ownMachine(cli.environment.home);
	return describedMachine(placeUntil(cli.interruption.signal));
}

function openPersonality(config: LoadedConfig, onWarning: (message: string) => void): PersonalityChoice {
	const all = personalities(config.get("agent.personalities"));
	let chosen = config.get("display.personality");
	if (chosen !== "" && !all.has(chosen)) {
		onWarning(`There is no personality "${chosen}" (display.personality): there is ${[...all.keys()].join(", ")}`);
		chosen = "";
	}
	return {
		all,
		get chosen() {
			return chosen;
		},
		choose(name) {
			chosen = name;
		},
	};
}
