/** `hermes sessions export`: sessions as a file that can be read, or imported somewhere else. */

import { closeSync, openSync, writeSync } from "node:fs";
import { z } from "zod";
import { systemReason } from "../../base/system-reason.ts";
import type { ExportedSession } from "../../store/store.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { findSession } from "../runtime/past-session.ts";
import { type Cli, defineAction } from "../subcommand.ts";
import { htmlEnd, htmlSession, htmlStart } from "./export-html.ts";
import { markdownSession } from "./export-markdown.ts";
import { openSessions } from "./open-sessions.ts";

interface Form {
	readonly start: string;
	readonly end: string;
	session(exported: ExportedSession): string;
}

const forms: Readonly<Record<"jsonl" | "markdown" | "html", Form>> = {
	jsonl: { start: "", end: "", session: (exported) => `${JSON.stringify(exported)}\n` },
	markdown: { start: "", end: "", session: markdownSession },
	html: { start: htmlStart, end: htmlEnd, session: htmlSession },
};

/** One session after the other, whatever their number. */
export const exportSessions = defineAction({
	summary: "Write sessions to a file or to standard output",
	details: [
		"Without SESSION all of them. jsonl has everything, one session a line, for hermes sessions import; markdown and html",
		"have what was said.",
	].join("\n"),
	operands: "[SESSION...]",
	completes: "sessions",
	flagsAnywhere: true,
	flags: z.object({
		format: z
			.enum(["jsonl", "markdown", "html"])
			.default("jsonl")
			.meta({ short: "f", value: "FORM", description: "jsonl, markdown or html" }),
		outputFile: z
			.string()
			.default("-")
			.meta({ short: "o", value: "FILE", description: "Where to; - is standard output" }),
	}),

	async run({ flags: { format, outputFile }, operands }, cli) {
		using store = openSessions(cli);
		const named = new Set(operands.map((name) => findSession(store, name).id));
		const ids = operands.length === 0 ? undefined : [...named];
		const form = forms[format];
		using target = openTarget(cli, outputFile);
		let count = 0;
		target.write(form.start);
		for (const exported of store.exportSessions(ids)) {
			target.write(form.session(exported));
			count++;
		}
		target.write(form.end);
		if (outputFile !== "-")
			cli.stderr.write(`Wrote ${count} ${count === 1 ? "session" : "sessions"} to ${outputFile}\n`);
		return exitCodes.ok;
	},
});

/** What was said is nobody else's business: a new file is readable by its owner only. */
function openTarget(cli: Cli, path: string): Disposable & { write(text: string): void } {
	if (path === "-") return { write: (text) => cli.stdout.write(text), [Symbol.dispose]: () => {} };
	try {
		const file = openSync(path, "w", 0o600);
		return { write: (text) => writeAll(file, text), [Symbol.dispose]: () => closeSync(file) };
	} catch (cause) {
		throw new CommandFailed(`Cannot write "${path}": ${systemReason(cause) ?? String(cause)}`, { cause });
	}
}

function writeAll(file: number, text: string): void {
	const bytes = Buffer.from(text);
	for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
