/** One MCP server as `hermes mcp list` and `test` show it. */

import type { ServerStatus } from "../../mcp/open-server.ts";
import { readServerSettings } from "../../mcp/server-settings.ts";
import { visible } from "../runtime/paint.ts";

/** What `--json` prints of a server. */
export interface ServerRow {
	readonly name: string;
	readonly enabled: boolean;
	readonly transport: string;
	readonly state: string;
	/** How many; the names are what `hermes mcp test` shows. */
	readonly tools: number;
	readonly command?: string;
	readonly url?: string;
	/** Why it cannot be used. */
	readonly problem?: string;
	/** Tools that it lists and a model does not get. */
	readonly leftOut?: readonly { readonly name: string; readonly reason: string }[];
	readonly warnings?: readonly string[];
}

/** `written` is its entry of config.yaml. */
export function rowOf(status: ServerStatus, written: unknown): ServerRow {
	const read = readServerSettings(written);
	const { name, transport, state, tools, leftOut, warnings, problem } = status;
	return {
		name,
		enabled: read.ok && read.settings.enabled,
		transport,
		state: state === "connecting" ? "failed" : state,
		tools: tools.length,
		...(read.ok && read.settings.kind === "stdio" && { command: read.settings.command }),
		...(read.ok && read.settings.kind !== "stdio" && { url: addressOf(read.settings.url) }),
		...(state === "connecting" && { problem: "it is not there yet" }),
		...(problem !== undefined && { problem }),
		...(leftOut.length > 0 && { leftOut }),
		...(warnings.length > 0 && { warnings }),
	};
}

/** Without what may be a secret in it. */
function addressOf(text: string): string {
	const url = URL.parse(text);
	if (url === null) return "";
	return `${url.origin}${url.pathname}`;
}

/** A line, and one below for each thing that is wrong. */
export function lineOf({ name, state, transport, tools, command, url, ...more }: ServerRow): string {
	const what = state === "idle" ? "enabled" : state;
	const count = state === "connected" ? `  ${tools} ${tools === 1 ? "tool" : "tools"}` : "";
	const lines = [
		`${name}  ${what}${count}  ${transport} ${command ?? url ?? ""}`.trimEnd(),
		...(more.problem === undefined ? [] : [`  ${more.problem}`]),
		...(more.leftOut ?? []).map((tool) => `  left out: ${tool.name}: ${tool.reason}`),
		...(more.warnings ?? []).map((warning) => `  ${warning}`),
	];
	return shownLines(lines);
}

/** Characters of one line. */
const longestLine = 1_000;

/** One line for each text of a stranger, who can neither move the cursor with it nor hide what it says. */
export function shownLines(texts: readonly string[]): string {
	return texts.map((text) => `${shownText(text)}\n`).join("");
}

function shownText(text: string): string {
	const line = visible(text.slice(0, longestLine).replaceAll(/[\r\n\t]/g, " "));
	return text.length > longestLine ? `${line}…` : line;
}
