/** Plays a conversation again with tools that really run, and tells what they answer differently. */

import { existsSync } from "node:fs";
import type { AgentEvent, TurnFinished } from "../../agent/events.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { readTape } from "../conversation/conversation-options.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { approvalMode } from "../runtime/approval-mode.ts";
import { openConversation } from "../runtime/open-conversation.ts";
import { openPlace } from "../runtime/open-place.ts";
import { printable } from "../runtime/paint.ts";
import { findSession, folderOf } from "../runtime/past-session.ts";
import { openSettings } from "../runtime/settings.ts";
import { shortArgument } from "../runtime/short-call.ts";
import { openSessions } from "../sessions/open-sessions.ts";
import type { Cli } from "../subcommand.ts";
import { type Difference, differences, shownDifference } from "./compare-results.ts";
import { type ReplayScript, sessionScript, tapeScript } from "./script.ts";

/** What the user typed. */
export interface ReplayFlags {
	readonly backend?: string | undefined;
	readonly cwd?: string | undefined;
	readonly yolo: boolean;
	readonly json: boolean;
}

/** One call that ran again. */
interface ReplayedCall {
	readonly tool: string;
	readonly arguments: string;
	readonly denied: boolean;
	/** Empty where the same came of it, or where nobody knows what came of it then. */
	readonly differences: readonly Difference[];
}

/** All that came of it. */
interface Replay {
	readonly ranOn: string;
	readonly calls: readonly ReplayedCall[];
	/** Why it ended before its end. */
	readonly stopped?: string;
}

const goOn = { text: "(replay)", images: [] };

/** Runs `hermes replay` and returns its exit code. */
export async function runReplay(named: string, flags: ReplayFlags, cli: Cli): Promise<number> {
	const { script, folder } = existsSync(named)
		? { script: tapeScript(readTape(named, { cwd: flags.cwd ?? process.cwd() })), folder: undefined }
		: kept(named, cli);
	// A summary would be an answer that is not on the tape.
	const config = await openSettings(cli, { backend: flags.backend, maxTurns: script.turns + 1, compression: false });
	const cwd = flags.cwd ?? (config.get("terminal.backend") === "local" ? folder : undefined);
	const replay = await replayed(script, { cli, config, cwd, yolo: flags.yolo });
	cli.stdout.write(flags.json ? `${JSON.stringify(jsonOf(replay), null, 2)}\n` : textOf(replay));
	const isSame = replay.stopped === undefined && replay.calls.every((call) => call.differences.length === 0);
	return cli.interruption.exitCode() ?? (isSame ? exitCodes.ok : exitCodes.failure);
}

function kept(named: string, cli: Cli): { readonly script: ReplayScript; readonly folder: string | undefined } {
	using store = openSessions(cli);
	const session = findSession(store, named);
	const messages = store.listMessages(session.id).map(({ message }) => message);
	const script = sessionScript(session.id, messages);
	if (script.turns === 0) throw new CommandFailed(`Cannot replay session "${session.id}": no model has answered in it`);
	return { script, folder: folderOf({ session, messages, plan: { steps: [] } }) };
}

interface Stage {
	readonly cli: Cli;
	readonly config: LoadedConfig;
	readonly cwd: string | undefined;
	readonly yolo: boolean;
}

async function replayed(script: ReplayScript, { cli, config, cwd, yolo }: Stage): Promise<Replay> {
	const { signal } = cli.interruption;
	const watch = watchCalls(script);
	await using place = await openPlace(cli, { config, cwd });
	const approval = approvalMode(cli, config, { surface: "headless", yolo });
	const common = { config, place, approval, keep: false, surface: "replay" };
	await using conversation = await openConversation(cli, { ...common, tape: script.tape, emit: watch.emit });
	const { ranOn } = place.shell;
	let played = 0;
	for (let turn = 0; played < script.turns; turn++) {
		const question = script.questions === undefined ? goOn : script.questions[turn];
		if (question === undefined) break;
		const finished = await conversation.runTurn(question.text, signal, question.images);
		played += finished.model_calls;
		const stopped = stoppedBy(finished);
		if (stopped !== undefined) return { ranOn, calls: watch.calls, stopped };
	}
	const missing = script.turns - played;
	return {
		ranOn,
		calls: watch.calls,
		...(missing > 0 && { stopped: `${missing} answers of the model were not reached` }),
	};
}

function stoppedBy({ ended, error }: TurnFinished): string | undefined {
	if (ended === "answered") return undefined;
	return error ?? `a turn ended: ${ended.replaceAll("_", " ")}`;
}

function watchCalls({ results }: ReplayScript) {
	const calls: ReplayedCall[] = [];
	const given = new Map<string, string>();
	const seen = new Map<string, number>();
	const emit = (event: AgentEvent) => {
		if (event.type === "tool_started") given.set(event.id, event.arguments);
		if (event.type !== "tool_finished") return;
		const { id, name: tool, result, denied } = event;
		const count = seen.get(id) ?? 0;
		seen.set(id, count + 1);
		const recorded = results.get(id)?.[count];
		const found = recorded === undefined ? [] : differences(recorded, result);
		calls.push({ tool, arguments: given.get(id) ?? "", denied, differences: found });
	};
	return { calls, emit };
}

function jsonOf({ ranOn, calls, stopped }: Replay) {
	return {
		ran_on: ranOn,
		calls: calls.length,
		same: calls.filter((call) => call.differences.length === 0).length,
		stopped: stopped ?? null,
		differing: calls.filter((call) => call.differences.length > 0),
	};
}

function textOf({ ranOn, calls, stopped }: Replay): string {
	const lines = calls.flatMap((call) => {
		const isSame = call.differences.length === 0;
		const mark = isSame ? "=" : "≠";
		const head = `${mark} ${call.tool} ${shortArgument(call.arguments)}${call.denied ? " (denied; --yolo runs it)" : ""}`;
		return [head, ...call.differences.flatMap(shownDifference).map((line) => `    ${line}`)];
	});
	const differing = calls.filter((call) => call.differences.length > 0).length;
	const outcome = differing === 0 ? "all the same" : `${differing} with another result`;
	const end = `${calls.length} ${calls.length === 1 ? "call" : "calls"} on ${ranOn}: ${outcome}`;
	return `${[...lines, end, ...(stopped === undefined ? [] : [`Stopped early: ${stopped}`])].map(printable).join("\n")}\n`;
}
