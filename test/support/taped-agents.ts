/** Homes whose tapes have sub-agents on them, for tests of what users see of those. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRecords, recordFolder } from "../../lib/agent/delegate/records.ts";
import { runInProcess } from "./command-line.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export type TapedTurn = Readonly<Record<string, unknown>>;
export type Home = ReturnType<typeof temporaryFolder>;

export const cassette = ["--cassette", "tape", "--provider", "cassette"];

/** A home with a tape in it, and with settings. */
export function homeWith(turns: readonly TapedTurn[], settings = "") {
	const home = temporaryFolder();
	writeFileSync(join(home.path, "tape"), turns.map((turn) => JSON.stringify(turn)).join("\n"));
	mkdirSync(join(home.path, ".hermes"), { mode: 0o700 });
	writeFileSync(join(home.path, ".hermes/config.yaml"), `terminal:\n  cwd: ${home.path}\n${settings}`, { mode: 0o600 });
	return home;
}

/** Asks once, inside this process. */
export function ask({ path }: Home, ...flags: readonly string[]) {
	const tape = ["--cassette", join(path, "tape"), "--provider", "cassette"];
	return runInProcess(["chat", "-q", "go", ...tape, ...flags], path, { HERMES_HOME: join(path, ".hermes") });
}

/** A turn with calls, each as its name and arguments. */
export function calls(...list: readonly (readonly [string, object])[]): TapedTurn {
	return { tool_calls: list.map(([name, args]) => ({ name, arguments: args })) };
}

export const handOut = (...goals: readonly string[]): TapedTurn =>
	calls(["delegate_task", { tasks: goals.map((goal) => ({ goal })) }]);

export function recordsOf(home: Home) {
	return openRecords(recordFolder(join(home.path, ".hermes")));
}

/** The events of a run, in order. */
export function eventsIn(stdout: string): readonly Record<string, unknown>[] {
	return stdout
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
}

/** Processes of this machine whose command line holds `text`. */
export function processesWith(text: string): readonly number[] {
	const list = Bun.spawnSync(["ps", "-eo", "pid=,args="]).stdout.toString();
	return list
		.split("\n")
		.filter((line) => line.includes(text) && !line.includes("ps -eo"))
		.map((line) => Number.parseInt(line, 10));
}
