/** What folders below the session's own say to agents: told with the first result of a tool that has to do with one. */

import { posix } from "node:path";
import { attempt, attemptAsync } from "../../base/attempt.ts";
import type { ToolCall } from "../../base/conversation.ts";
import type { FilePlace } from "../../files/place.ts";
import { bytesField, runScript } from "../../files/run-script.ts";
import { type ContextRules, contextPart } from "./project-context.ts";

/** What hints are made of. */
export interface FolderHintOptions {
	readonly place: FilePlace;
	/** The session's folder; it is told in the prompt, and nothing outside of it ever is. */
	readonly root: string;
	readonly rules: ContextRules;
	/** Whether a folder may hold such a file, where that is known without asking the place. */
	mayHold?(folder: string): boolean;
}

/** The hints of one session. */
export interface FolderHints {
	/** `answer` of `call` with what the folders say that it is the first to touch. Never fails: then the answer stays as it is. */
	added(call: ToolCall, answer: string): Promise<string>;
	/** What was told may be gone: it is told again. */
	forget(): void;
}

/** In the order in which one counts. */
export const hintFiles = ["AGENTS.md", "CLAUDE.md", ".cursorrules"] as const;

/** What strangers wrote lies in these: it must not speak to the model in the project's name. */
const foreign = /\/(?:node_modules|site-packages|vendor|third_party|\.venv|venv|\.git)(?:\/|$)/;

/** Characters of one file, folders above a path, and paths of one command. */
const longest = 8_000;
const mostAbove = 5;
const mostPaths = 8;
const mostBytes = 64 * 1024;
const timeoutSeconds = 5;

/** `ROOT BYTES FOLDER…`: the first such file of each folder that really lies below ROOT. */
const script = `
top=$(cd -- "$1" 2>/dev/null && pwd -P) || done_
bytes=$2; shift 2
for folder; do
	real=$(cd -- "$folder" 2>/dev/null && pwd -P) || continue
	case $real in "\${top%/}"/*) ;; *) continue ;; esac
	for name in ${hintFiles.join(" ")}; do
		[ -f "$real/$name" ] && [ -r "$real/$name" ] || continue
		begin "$folder/$name"; head -c "$bytes" < "$real/$name" | base64; end
		break
	done
done
done_
`;

/** Nothing was told yet. */
export function createFolderHints({ place, root, rules, mayHold }: FolderHintOptions): FolderHints {
	const seen = new Set<string>();
	const find = async (folders: readonly string[]): Promise<readonly string[]> => {
		const args = [root, String(mostBytes), ...folders];
		const { fields } = await runScript(place, { script, args, timeoutSeconds });
		return [...fields.keys()]
			.filter((name) => name !== "end")
			.map((path) => {
				const text = new TextDecoder().decode(bytesField(fields, path)).replaceAll(/\r\n?/g, "\n").trim();
				const name = posix.relative(root, path);
				return contextPart({ name, text }, { ...rules, maxCharacters: Math.min(longest, rules.maxCharacters) });
			})
			.filter(({ text }) => text !== "")
			.map(({ name, text }) => `## ${name}\n\n${text}`);
	};
	return {
		async added(call, answer) {
			if (!answer.endsWith("}")) return answer;
			const folders = pathsIn(call)
				.flatMap((path) => foldersOf(path, root))
				.filter((folder) => !seen.has(folder));
			// At once: a call that runs beside this one must not tell the same.
			for (const folder of folders) seen.add(folder);
			const asked = [...new Set(folders)].filter((folder) => mayHold?.(folder) ?? true);
			if (asked.length === 0) return answer;
			const found = await attemptAsync(() => find(asked));
			if (!found.ok || found.value.length === 0) return answer;
			const separator = /^\{\s*\}$/.test(answer) ? "" : ",";
			return `${answer.slice(0, -1)}${separator}"project_context":${JSON.stringify(found.value.join("\n\n"))}}`;
		},
		forget: () => seen.clear(),
	};
}

/** Arguments that name a place, and words of a command that look like one. */
function pathsIn({ arguments: text }: ToolCall): readonly string[] {
	const parsed = attempt((): unknown => JSON.parse(text));
	const args = new Map(parsed.ok && typeof parsed.value === "object" ? Object.entries(parsed.value ?? {}) : []);
	const named = ["path", "file_path", "workdir", "cwd"].map((name) => args.get(name));
	const command = args.get("command");
	const words =
		typeof command === "string" ? command.split(/[\s"';|&()<>=]+/).filter((word) => word.includes("/")) : [];
	return [...named, ...words]
		.filter((path) => typeof path === "string")
		.filter((path) => path !== "" && !path.includes("://"))
		.slice(0, mostPaths);
}

/** The path and what lies above it, as long as it is below `root`; outermost first. */
function foldersOf(path: string, root: string): readonly string[] {
	const folders: string[] = [];
	const top = root.endsWith("/") ? root : `${root}/`;
	for (let at = posix.resolve(root, path); at.startsWith(top) && folders.length <= mostAbove; at = posix.dirname(at))
		folders.unshift(at);
	return folders.filter((folder) => !foreign.test(folder.slice(root.length)));
}
