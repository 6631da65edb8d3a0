/** What may stand where the user is typing: commands and their arguments, files, paths. */

import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { type CommandSet, commandForm } from "../../commands/command-set.ts";
import type { CommandConversation } from "../../commands/conversation.ts";
import { visible } from "../runtime/paint.ts";
import { listedPaths, projectFiles } from "./file-names.ts";
import type { PiTui } from "./pi-tui.ts";

/** Where words come from. */
export interface CompletionSources {
	readonly pi: PiTui;
	/** Undefined until the conversation is open. */
	commands(): { readonly set: CommandSet; readonly conversation: CommandConversation } | undefined;
	/** The folder that relative paths begin in, on this machine; undefined when commands run elsewhere. */
	folder(): string | undefined;
	readonly home: string;
}

/** Suggestions shown at once are few; the editor scrolls through them. */
const mostSuggestions = 50;

/** Completes for an editor. */
export function chatCompletion(given: CompletionSources): AutocompleteProvider {
	const sources = { ...given, files: rememberFiles() };
	return {
		triggerCharacters: ["@"],
		// biome-ignore lint/complexity/useMaxParams: the library calls it like this
		async getSuggestions(lines, line, column, { signal, force }) {
			const before = (lines[line] ?? "").slice(0, column);
			const found = suggestionsFor(before, { isFirstLine: line === 0, isForced: force === true }, sources);
			const suggestions = await found;
			return signal.aborted ? null : suggestions;
		},
		// biome-ignore lint/complexity/useMaxParams: the library calls it like this
		applyCompletion: (lines, line, column, item, prefix) => {
			const text = lines[line] ?? "";
			const before = text.slice(0, column - prefix.length);
			// A folder and an argument may go on; a command and a file are complete.
			const isCommand = line === 0 && before === "" && /^\/[\w-]+$/.test(item.value);
			const isComplete = isCommand || (prefix.startsWith("@") && !item.value.endsWith("/"));
			const start = `${before}${item.value}${isComplete ? " " : ""}`;
			const after = text.slice(column);
			return {
				lines: lines.map((other, at) => (at === line ? start + (isComplete ? after.trimStart() : after) : other)),
				cursorLine: line,
				cursorCol: start.length,
			};
		},
	};
}

async function suggestionsFor(
	before: string,
	{ isFirstLine, isForced }: { readonly isFirstLine: boolean; readonly isForced: boolean },
	sources: CompletionSources & { readonly files: typeof projectFiles },
): Promise<AutocompleteSuggestions | null> {
	const command = isFirstLine ? /^\/([\w-]*)$/.exec(before) : null;
	const commands = command === null ? [] : commandItems(command[1] ?? "", sources);
	if (commands.length > 0) return asSuggestions(commands, before);
	const argument = isFirstLine ? /^\/([\w-]+)\s+(\S*)$/.exec(before) : null;
	if (argument !== null) {
		const [, name = "", typed = ""] = argument;
		const items = argumentItems(name, typed, sources);
		if (items.length > 0) return asSuggestions(items, typed);
	}
	const file = /(?:^|\s)(@(?:"[^"]*|[^\s"]*))$/.exec(before)?.[1];
	if (file !== undefined) return asSuggestions(await fileItems(unquoted(file.slice(1)), sources), file);
	const path = /(?:^|\s)("[^"]*|[^\s"]*)$/.exec(before)?.[1];
	if (!isForced || path === undefined || before.trim() === "") return null;
	return asSuggestions(pathItems(unquoted(path), sources), path);
}

function unquoted(typed: string): string {
	return typed.replace(/^"/, "");
}

/** As it is typed: a path with spaces stands in quotes, which stay open behind a folder. */
function quoted(path: string): string {
	if (!/\s/.test(path)) return path;
	return path.endsWith("/") ? `"${path}` : `"${path}"`;
}

/** Whether a path can stand in a line as it is. */
function isTypable(path: string): boolean {
	return visible(path) === path && !/["\n\t]/.test(path);
}

/** So long one look at the files of a project serves: each key of a name asks for them. */
const rememberedMs = 3_000;

function rememberFiles(): typeof projectFiles {
	let last: { readonly root: string; readonly at: number; readonly files: ReturnType<typeof projectFiles> } | undefined;
	return (root) => {
		const now = performance.now();
		if (last?.root !== root || now - last.at > rememberedMs) last = { root, at: now, files: projectFiles(root) };
		return last.files;
	};
}

function asSuggestions(items: readonly AutocompleteItem[], prefix: string): AutocompleteSuggestions | null {
	return items.length === 0 ? null : { items: items.slice(0, mostSuggestions), prefix };
}

function commandItems(typed: string, { commands }: CompletionSources): readonly AutocompleteItem[] {
	const wanted = typed.toLowerCase().replaceAll("_", "-");
	const list = commands()?.set.list ?? [];
	const fits = (word: string) => word.startsWith(wanted);
	return list
		.filter(({ name, aliases = [] }) => fits(name) || (wanted !== "" && aliases.some(fits)))
		.map((command) => ({
			value: `/${command.name}`,
			label: commandForm(command),
			description: command.description,
		}));
}

function argumentItems(name: string, typed: string, { commands }: CompletionSources): readonly AutocompleteItem[] {
	const open = commands();
	const resolved = open?.set.resolve(`/${name}`);
	if (open === undefined || resolved?.kind !== "command") return [];
	const offered = resolved.command.complete?.({ conversation: open.conversation, commands: open.set }) ?? [];
	const wanted = typed.toLowerCase();
	return offered
		.filter(
			({ value, description = "" }) =>
				value.toLowerCase().startsWith(wanted) || (wanted !== "" && description.toLowerCase().includes(wanted)),
		)
		.map(({ value, description }) => ({
			value,
			label: visible(value),
			...(description !== undefined && { description: visible(description) }),
		}));
}

async function fileItems(
	typed: string,
	{ pi, folder, files }: CompletionSources & { readonly files: typeof projectFiles },
): Promise<readonly AutocompleteItem[]> {
	const root = folder();
	if (root === undefined) return [];
	const paths = (await files(root)).filter(isTypable);
	const found = typed === "" ? paths : pi.fuzzyFilter(paths, typed, (path) => path);
	return found.slice(0, mostSuggestions).map((path) => ({ value: `@${quoted(path)}`, label: path }));
}

function pathItems(typed: string, { folder, home }: CompletionSources): readonly AutocompleteItem[] {
	const root = folder();
	if (root === undefined) return [];
	return listedPaths(typed, { root, home })
		.filter(isTypable)
		.map((path) => ({ value: quoted(path), label: path }));
}
