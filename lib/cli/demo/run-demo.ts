/** Lets the agent repair the demonstration's project, then runs the project's own test. */

import type { LoadedConfig } from "../../config/load.ts";
import { yoloRefusal } from "../../config/policy-limits.ts";
import type { Tape } from "../../providers/provider.ts";
import { readTape } from "../conversation/conversation-options.ts";
import { exitCodes } from "../exit-codes.ts";
import { createLiveOutput } from "../runtime/live-output.ts";
import { openConversation } from "../runtime/open-conversation.ts";
import { openPlace, type Place } from "../runtime/open-place.ts";
import { openProvider } from "../runtime/open-provider.ts";
import { type Paint, paintFor } from "../runtime/paint.ts";
import { createTextPrinter } from "../runtime/print-text.ts";
import { openSettings } from "../runtime/settings.ts";
import type { Cli } from "../subcommand.ts";
import { type DemoProject, layOutProject } from "./project.ts";
import repair from "./repair.jsonl" with { type: "text" };

/** What the user typed. */
export interface DemoFlags {
	readonly backend?: string | undefined;
	readonly keep: boolean;
	readonly cassette?: string | undefined;
}

const task = "The test of this project fails. Find out why, repair the program, and show that the test passes.";

/** Model calls: more than any tape has. */
const maxTurns = 50;

/** Runs the demonstration; the exit code says whether the project's test passes at the end. */
export async function runDemo({ backend, keep, cassette }: DemoFlags, cli: Cli): Promise<number> {
	const paint = paintFor(cli.stdout, cli.environment);
	const { signal } = cli.interruption;
	// A tape that cannot be read fails before anything is written.
	const tape = (cwd: string): Tape => {
		const values = { cwd };
		return cassette === undefined ? { name: "the demonstration", text: repair, values } : readTape(cassette, values);
	};
	const config = await openSettings(cli, { backend, maxTurns });
	await openProvider(cli, { config, tape: tape("/") });
	await using place = await openPlace(cli, { config });
	await using project = await layOutProject(place.shell, { signal, keep });
	say(cli, paint("bold", "hermes demo"), "a tape plays the model; every call really runs");
	say(cli, "project", `${project.folder} on ${place.shell.ranOn}${keep ? "" : " (removed at the end)"}`);
	say(cli, "task", `${task}\n`);
	// The folder was made for this run and goes with it; but a tape of somebody else may do anything.
	const approval = cassette !== undefined && yoloRefusal(config.policy) !== undefined ? "deny" : "allow";
	const finished = await repairProject(cli, { config, place, paint, tape: tape(project.folder), approval });
	if (finished === "interrupted") return cli.interruption.exitCode() ?? exitCodes.interrupted;
	// Awaited here: the folder goes when this function returns.
	return await reportTest(cli, project, { place, paint });
}

function say(cli: Cli, label: string, text: string): void {
	cli.stdout.write(`${label}: ${text}\n`);
}

/** The opened place, and how to show what happens there. */
interface Stage {
	readonly place: Place;
	readonly paint: Paint;
}

/** What the model's side is played from. */
interface Script {
	readonly config: LoadedConfig;
	readonly tape: Tape;
	readonly approval: "allow" | "deny";
}

async function repairProject(cli: Cli, { config, place, paint, tape, approval }: Stage & Script): Promise<string> {
	await using conversation = await openConversation(cli, {
		config,
		tape,
		place,
		approval,
		keep: false,
		surface: "demo",
		emit: createTextPrinter({ text: cli.stdout, progress: cli.stdout, paint }),
	});
	return (await conversation.runTurn(task, cli.interruption.signal)).ended;
}

async function reportTest(cli: Cli, project: DemoProject, { place, paint }: Stage): Promise<number> {
	cli.stdout.write(`\n${paint("bold", "The project's own test, run by hermes")}\n`);
	const live = createLiveOutput(cli.stdout, paint);
	const started = performance.now();
	const { exitCode, ended } = await project.test(cli.interruption.signal, live.add);
	live.end();
	const seconds = ((performance.now() - started) / 1000).toFixed(2);
	const passed = exitCode === 0;
	const mark = passed ? paint("good", "✓ the test passes") : paint("bad", "✗ the test fails");
	cli.stdout.write(`  ${mark} · exit ${exitCode} · ${seconds} s · ${place.shell.ranOn}\n`);
	if (ended === "interrupted") return cli.interruption.exitCode() ?? exitCodes.interrupted;
	return passed ? exitCodes.ok : exitCodes.failure;
}
