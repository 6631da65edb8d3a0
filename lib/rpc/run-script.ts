/** Runs one script in a session's sandbox, with the tools it may call at hand, from its text to what it said. */

import { settledWithin } from "../base/settled-within.ts";
import type { Running } from "../environments/backend.ts";
import type { Outcome } from "../environments/outcome.ts";
import type { Shell } from "../environments/shell/shell.ts";
import { untilEnded } from "../environments/shell/until-ended.ts";
import type { ScriptSession } from "../registry/tool.ts";
import type { Redactor } from "../security/redact.ts";
import { CallDesk, type MadeCall } from "./call-desk.ts";
import { findInterpreter, forgetInterpreters, type Interpreter, type ScriptLanguage } from "./interpreter.ts";
import { type ScriptMode, sessionVariables, sifted } from "./script-environment.ts";
import { makeScriptFolder } from "./script-folder.ts";
import { ScriptOutput } from "./script-output.ts";
import { canImport, languageOf, planScript, type ScriptPlan } from "./script-plan.ts";
import { namesIn, offerOf, type ScriptOffer } from "./script-tools.ts";
import { openTransport, usualTransport } from "./transports/open-transport.ts";
import type { Transport, TransportName } from "./transports/transport.ts";

/** One script. */
export interface ScriptRequest {
	readonly code: string;
	/** Left out: Python, and TypeScript where there is none. */
	readonly language?: ScriptLanguage | undefined;
	readonly mode: ScriptMode;
	readonly timeoutSeconds: number;
	readonly maxCalls: number;
	readonly withServers: boolean;
	readonly passthrough: readonly string[];
	readonly timeZone?: string | undefined;
	readonly redact: Redactor;
	/** Aborted when the user interrupts. */
	readonly signal: AbortSignal;
	/** Another way for calls than the usual one. */
	readonly transport?: TransportName;
}

/** A script that ran. */
export interface RanScript {
	readonly is: "ran";
	readonly language: ScriptLanguage;
	readonly ended: Outcome["ended"];
	readonly exitCode: number;
	readonly output: string;
	readonly errors: string;
	readonly calls: readonly MadeCall[];
	readonly callCount: number;
	/** Names of the tools it could call. */
	readonly offered: readonly string[];
	/** Undefined when it had no tools. */
	readonly transport: TransportName | undefined;
	readonly ranOn: string;
	/** Why it was interrupted, when it was not the user. */
	readonly reason?: string | undefined;
}

/** What came of it. */
export type ScriptResult =
	| RanScript
	| { readonly is: "no_interpreter"; readonly language: ScriptLanguage; readonly ranOn: string }
	/** Its text cannot be read; nothing ran. */
	| { readonly is: "unreadable"; readonly reason: string; readonly ranOn: string };

/** Bytes of both streams that a reader gets. */
const outputLimitBytes = 50_000;
const errorLimitBytes = 10_000;
/** The sandbox ends a script by itself that we could not end in time: the way to it may be cut by then. */
const deadlineGraceSeconds = 10;
/** How long output may still come after a kill, and calls may take to stop after an end. */
const afterEndMs = 3_000;
const notStartedCodes: ReadonlySet<number> = new Set([126, 127]);

/** Never two at once in what they write: each has a folder and a way for its calls of its own. @throws {BackendUnavailable} */
export function runScript(session: ScriptSession, request: ScriptRequest): Promise<ScriptResult> {
	return session.inSandbox(request.signal, async (shell, signal) => {
		const { mode, passthrough, timeZone } = request;
		const variables = sifted(sessionVariables(shell), { mode, passthrough });
		const env = { ...variables, ...(timeZone && { TZ: timeZone }) };
		const interpreter = await chooseInterpreter({ session, shell, env, request: { ...request, signal } });
		if (interpreter === undefined) {
			return { is: "no_interpreter", language: request.language ?? "python", ranOn: shell.ranOn };
		}
		const offer = offerOf(await session.tools(), {
			parameters: (tool) => session.parameters(tool),
			withServers: request.withServers,
		});
		const used = canImport(interpreter, request.code) ? offer : nothing;
		const plan = planOrReason(interpreter, request.code, used);
		if (typeof plan === "string") return { is: "unreadable", reason: plan, ranOn: shell.ranOn };
		const offered = [...namesIn(offer)].sort();
		const ran = await runPlan({ session, shell, env, interpreter, offer: used, plan, request: { ...request, signal } });
		return { ...ran, offered };
	});
}

const nothing: ScriptOffer = { functions: [], servers: [] };

interface Parts {
	readonly session: ScriptSession;
	readonly shell: Shell;
	readonly env: Readonly<Record<string, string>>;
	readonly request: ScriptRequest;
}

async function chooseInterpreter({ session, shell, env, request }: Parts): Promise<Interpreter | undefined> {
	const { mode, signal, language } = request;
	const find = (wanted: ScriptLanguage) =>
		findInterpreter(shell, { language: wanted, mode, env, remembered: session.remembered, signal });
	if (language !== undefined) return find(language);
	return (await find("python")) ?? (await find("typescript"));
}

function planOrReason(interpreter: Interpreter, code: string, offer: ScriptOffer): ScriptPlan | string {
	try {
		return planScript(interpreter, code, offer);
	} catch (cause) {
		return cause instanceof Error ? cause.message : String(cause);
	}
}

interface PlanParts extends Parts {
	readonly interpreter: Interpreter;
	readonly offer: ScriptOffer;
	readonly plan: ScriptPlan;
}

async function runPlan(parts: PlanParts): Promise<Omit<RanScript, "offered">> {
	const { session, shell, env, interpreter, offer, plan, request } = parts;
	const { maxCalls, signal } = request;
	const wanted = namesIn(offer).size === 0 ? undefined : (request.transport ?? usualTransport(shell));
	await using opened = new AsyncDisposableStack();
	const folders = wanted === undefined || wanted === "unix" || wanted === "tcp" ? [] : ["rpc"];
	const folder = opened.use(await makeScriptFolder(shell, { ...plan.content, folders }));
	const desk = new CallDesk({ offer, maxCalls, signal, callTool: (call, stop) => session.call(call, stop) });
	const transport = wanted && opened.use(await openTransport({ shell, folder: folder.path, desk, signal }, wanted));
	const running = await shell.sandbox.start(plan.argv(folder.path), {
		env: { ...env, ...plan.variables(folder.path, env), ...transport?.variables },
		cwd: request.mode === "strict" ? folder.path : shell.cwd,
		stdin: "none",
		control: true,
		deadlineSeconds: request.timeoutSeconds + deadlineGraceSeconds,
		signal,
	});
	const output = new ScriptOutput(running.output, session.show);
	const errors = new ScriptOutput(running.control ?? new Blob([]).stream(), session.show);
	const ending = await follow(running, { request, transport });
	// What it left running would go on unseen, with the right to nothing.
	if (ending.ended === "exited") await running.kill();
	const closed = desk.close();
	const drained = Promise.all([output.ended, errors.ended]);
	await (ending.ended === "exited" ? drained : settledWithin(drained, afterEndMs));
	await settledWithin(closed, afterEndMs);
	if (notStartedCodes.has(ending.exitCode)) forgetInterpreters(shell, session.remembered);
	const { redact } = request;
	return {
		is: "ran",
		language: languageOf(interpreter),
		...ending,
		// Where we put the script is nothing to its author.
		output: output.text({ redact, limitBytes: outputLimitBytes }),
		errors: errors.text({ redact, limitBytes: errorLimitBytes }).replaceAll(`${folder.path}/`, ""),
		calls: desk.made,
		callCount: desk.count,
		transport: transport?.name,
		ranOn: shell.ranOn,
	};
}

async function follow(
	running: Running,
	{ request, transport }: { readonly request: ScriptRequest; readonly transport: Transport | undefined },
) {
	const { timeoutSeconds, signal } = request;
	const ended = untilEnded(running, { timeoutSeconds, signal });
	if (transport?.broken === undefined) return ended;
	try {
		return await Promise.race([ended, transport.broken]);
	} catch (cause) {
		await running.kill();
		throw cause;
	}
}
