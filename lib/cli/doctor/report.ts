/** Shows what the doctor found, section by section, or as JSON. */

import { type Paint, paintFor, printable } from "../runtime/paint.ts";
import type { Cli } from "../subcommand.ts";
import { type Finding, sections } from "./finding.ts";

const marks = {
	ok: { sign: "✓", style: "good" },
	warning: { sign: "⚠", style: "bold" },
	failed: { sign: "✗", style: "bad" },
	off: { sign: "–", style: "dim" },
} as const;

/** Prints all of it to standard output. */
export function showFindings(cli: Cli, findings: readonly Finding[], isJson: boolean): void {
	if (isJson) {
		const rows = findings.map(({ repair, ...row }) => ({ ...row, fixable: repair !== undefined }));
		cli.stdout.write(`${JSON.stringify({ version: cli.version, findings: rows }, null, 2)}\n`);
		return;
	}
	const paint = paintFor(cli.stdout, cli.environment);
	for (const section of sections) {
		const rows = findings.filter((finding) => finding.section === section);
		if (rows.length > 0)
			cli.stdout.write(`${paint("bold", section)}\n${rows.map((row) => lineOf(row, paint)).join("")}`);
	}
	cli.stdout.write(`\n${verdictOf(findings)}\n`);
}

function lineOf({ name, status, detail, remedy }: Finding, paint: Paint): string {
	const { sign, style } = marks[status];
	const line = `  ${paint(style, sign)} ${printable(name)}: ${printable(detail)}\n`;
	return remedy === undefined ? line : `${line}      ${paint("dim", `→ ${printable(remedy)}`)}\n`;
}

function verdictOf(findings: readonly Finding[]): string {
	const count = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length;
	const [failed, warnings] = [count("failed"), count("warning")];
	if (failed > 0) return `${failed} broken, ${warnings} to look at`;
	return warnings > 0 ? `Nothing is broken, ${warnings} to look at` : "Everything is in order";
}
