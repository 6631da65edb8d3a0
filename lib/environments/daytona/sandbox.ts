/** A sandbox of Daytona's as the place where commands run. */

import type { Sandbox as Machine } from "@daytona/sdk";
import { settledWithin } from "../../base/settled-within.ts";
import { BackendUnavailable, type OpenContext, type Running, type Sandbox, type StartOptions } from "../backend.ts";
import { exportedNames } from "../environment-text.ts";
import { findAccount } from "./account.ts";
import { createClient } from "./client.ts";
import { neededPrograms } from "./exec/launch-script.ts";
import { type ExecPlace, NotStarted } from "./exec/place.ts";
import { startProcess } from "./exec/start-process.ts";
import { bringUp, nameOf, refresh, SandboxGone, stateOf } from "./machine/bring-up.ts";
import { findOrCreate, putAway } from "./machine/find-or-create.ts";
import { planMachine } from "./machine/plan.ts";
import { announce } from "./machine/presence.ts";
import { isPassing, serviceError } from "./service-error.ts";
import type { DaytonaSettings } from "./settings.ts";

/** Of an id, this much is shown. */
const shownId = 8;

/** How often a start that came to nothing is begun anew. */
const mostStarts = 4;
const firstPauseMs = 300;

/** How long putting it away is waited for; the service goes on with it by itself. */
const closeLimitMs = 12_000;
const killLimitMs = 5_000;
const leaveLimitMs = 3_000;

/** A silent service holds up no end. */
const lookLimitMs = 10_000;

/** Opens the sandbox of a task. @throws {BackendUnavailable} When it cannot be had. */
export async function openSandbox(settings: DaytonaSettings, context: OpenContext): Promise<Sandbox> {
	const { signal, taskId, home, hostEnvironment } = context;
	const account = findAccount(hostEnvironment);
	if (typeof account === "string") throw new BackendUnavailable(`Cannot use daytona: ${account}`);
	const tell = (line: string) => context.onProgress?.(line);
	const daytona = await createClient(account);
	const plan = planMachine(settings, taskId, home);
	const { sandbox: machine } = await findOrCreate(daytona, plan, { signal, tell });
	await using opening = new AsyncDisposableStack();
	const presence = opening.use(announce(home, machine.id));
	opening.defer(async () => {
		if (!plan.isKept || presence.isAlone()) await settledWithin(putAway(machine, plan), closeLimitMs);
	});
	await bringUp(machine, { signal, tell });
	const place = await explore(machine, signal);
	const opened = opening.move();
	return sandboxOn(machine, place, { tell, close: () => opened.disposeAsync() });
}

interface SandboxParts {
	tell(line: string): void;
	close(): Promise<void>;
}

function sandboxOn(machine: Machine, place: ExecPlace, { tell, close }: SandboxParts): Sandbox {
	const alive = new Set<Running>();
	return {
		// Not the name: that of the next sandbox of the task may be the same.
		ranOn: `daytona:${machine.id.slice(0, shownId)}`,
		async start(argv, options) {
			const running = await startOn(machine, place, { argv, options, tell });
			alive.add(running);
			const forget = () => void alive.delete(running);
			running.exited.then(forget, forget);
			return running;
		},
		async [Symbol.asyncDispose]() {
			const killed = Promise.allSettled([...alive].map((running) => running.kill()));
			await settledWithin(killed, killLimitMs);
			await settledWithin(Promise.all(place.terminals), leaveLimitMs);
			await close();
		},
	};
}

interface StartRequest {
	readonly argv: readonly string[];
	readonly options: StartOptions;
	tell(line: string): void;
}

/** Once more when nothing was started; a sandbox that was stopped meanwhile is started first. */
async function startOn(machine: Machine, place: ExecPlace, { argv, options, tell }: StartRequest): Promise<Running> {
	const { signal } = options;
	for (let starts = 1; ; starts++) {
		try {
			return await startProcess(place, argv, options);
		} catch (cause) {
			signal.throwIfAborted();
			if (!(cause instanceof NotStarted)) throw cause;
			await bringUp(machine, { signal, tell });
			if (starts >= mostStarts) throw new BackendUnavailable(cause.message, { cause });
		}
		await Bun.sleep(firstPauseMs * 2 ** (starts - 1));
	}
}

const places = ['"$TMPDIR"', "/tmp", "/var/tmp", '"$HOME"'];

/** Looks for a folder of ours, for programs that are missing, and for the variables of a login. */
const exploreScript = `for f in ${places.join(" ")}; do [ -n "$f" ] && [ -d "$f" ] && [ -w "$f" ] && break; f=; done
m=; for p in ${neededPrograms.join(" ")}; do command -v "$p" >/dev/null 2>&1 || m="$m $p"; done
printf '%s\\0%s\\0' "$f" "$m"; export -p`;

async function explore(machine: Machine, signal: AbortSignal): Promise<ExecPlace> {
	const name = nameOf(machine);
	const run = crypto.randomUUID();
	const place = {
		name,
		process: machine.process,
		run,
		terminals: new Set<Promise<void>>(),
		whyDown: () => whyDown(machine),
	};
	const first = { ...place, inherited: [], parent: `/tmp/hermes-daytona-${run}` };
	const argv = ["/bin/sh", "-c", exploreScript];
	const options = { env: {}, cwd: "/", stdin: "none", signal } as const;
	const running = await startOn(machine, first, { argv, options, tell: () => undefined });
	const [said] = await Promise.all([new Response(running.output).text(), running.exited]);
	const [folder = "", lacking = "", exports = ""] = said.split("\0");
	if (lacking !== "")
		throw new BackendUnavailable(`Cannot use ${name}: its image has no${lacking.replaceAll(" ", ", ").slice(1)}`);
	if (!folder.startsWith("/")) throw new BackendUnavailable(`Cannot use ${name}: no folder is writable there`);
	return { ...place, inherited: exportedNames(exports), parent: `${folder}/hermes-daytona-${run}` };
}

async function whyDown(machine: Machine): Promise<Error | undefined> {
	const signal = AbortSignal.timeout(lookLimitMs);
	const what = `Cannot finish the command: ${nameOf(machine)}`;
	try {
		await refresh(machine, signal);
	} catch (cause) {
		if (signal.aborted) return undefined;
		if (cause instanceof SandboxGone)
			return new SandboxGone(`${what} was deleted or has expired while it ran`, { cause });
		const { status } = serviceError(cause instanceof Error ? cause.cause : cause);
		const isCertain = status !== undefined && !isPassing({ status, retryAfterMs: undefined, reason: "" });
		return isCertain && cause instanceof Error ? cause : undefined;
	}
	const state = stateOf(machine);
	return state === "started"
		? undefined
		: new BackendUnavailable(`${what} is ${state}; it was stopped while the command ran`);
}
