/** `bun run bench [name…] [--json]`: runs the named benches, or all, and prints what they found. */

import { parseArgs } from "node:util";
import { loadPlugins, modulesIn } from "../lib/base/plugins.ts";
import { type Bench, type Comparison, measure } from "./bench.ts";

async function main(): Promise<number> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { json: { type: "boolean", default: false } },
	});
	const { loaded, failures } = await loadPlugins(modulesIn<Bench>(import.meta.dir));
	for (const { name, reason } of failures) console.error(`Cannot load the bench "${name}": ${reason}`);
	const unknown = positionals.filter((name) => !loaded.has(name));
	if (unknown.length > 0) {
		console.error(`Cannot run "${unknown.join('", "')}": the benches are ${[...loaded.keys()].join(", ")}`);
		return 2;
	}
	const comparisons: Comparison[] = [];
	for (const [name, bench] of loaded) {
		if (positionals.length > 0 && !positionals.includes(name)) continue;
		console.error(`${name}: ${bench.operation} against ${bench.floor}`);
		comparisons.push(await measure(name, bench));
	}
	if (values.json) console.log(JSON.stringify(comparisons));
	else printTable(comparisons);
	return failures.length > 0 ? 1 : 0;
}

function printTable(comparisons: readonly Comparison[]): void {
	const rows = comparisons.map(({ name, operation, floor, ratio, target }) => [
		name,
		...[operation.p50, operation.p95, floor.p50, floor.p95].map((milliseconds) => milliseconds.toFixed(3)),
		`${ratio.toFixed(2)}x`,
		target === undefined ? "" : `${target}x`,
	]);
	const table = [["bench", "p50 ms", "p95 ms", "floor p50", "floor p95", "ratio", "target"], ...rows];
	const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
	for (const row of table) {
		const cells = row.map((cell, column) =>
			column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
		);
		console.log(cells.join("  ").trimEnd());
	}
}

process.exitCode = await main();
