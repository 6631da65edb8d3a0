/** Opens a managed Modal sandbox: one that the tool gateway keeps for users without a Modal account of their own. */

import { untilAborted } from "../../base/abort.ts";
import { resolveHermesHome } from "../../config/home.ts";
import { findGateway, type ToolGateway } from "../../config/tool-gateway.ts";
import { BackendUnavailable, type OpenContext, type Running, type Sandbox, type StartOptions } from "../backend.ts";
import { exportedNames } from "../environment-text.ts";
import { markedLines } from "./answer.ts";
import type { GatewayClient } from "./client.ts";
import { createSandbox, terminateSandbox } from "./create.ts";
import { type ExecLimits, type ExecPlace, goneMeanwhile, SandboxGone } from "./execs.ts";
import { usualFetchSize } from "./follow.ts";
import type { GreetedPlace } from "./program.ts";
import { commandLine, greetScript } from "./scripts.ts";
import type { ManagedSettings } from "./settings.ts";
import { startProgram } from "./start.ts";
import { runStep, stepMs } from "./steps.ts";

const vendor = "modal";

/** How long the end of what still runs may hold up the end of the sandbox. */
const closeLimitMs = 5_000;

type Variables = OpenContext["hostEnvironment"];

/**
 * `true`, or one sentence about what is missing. Looks at variables and one small file; asks nobody, and exchanges no token.
 */
export function managedReadiness(
	settings: Pick<ManagedSettings, "credential_files">,
	variables: Variables,
): true | string {
	const found = requirements(settings, { variables, home: resolveHermesHome(variables) });
	return typeof found === "string" ? found : true;
}

/**
 * Opens the sandbox of a task.
 * @throws {BackendUnavailable} With what is missing, or what the gateway says.
 */
export async function openManaged(settings: ManagedSettings, context: OpenContext): Promise<Sandbox> {
	const { hostEnvironment: variables, home, signal, taskId } = context;
	const gateway = requirements(settings, { variables, home });
	if (typeof gateway === "string") throw new BackendUnavailable(`Cannot use managed modal: ${gateway}`);
	const client: GatewayClient = { gateway };
	const tell = (line: string) => context.onProgress?.(line);
	const limits = execLimits(variables);
	const open = async (signal: AbortSignal): Promise<OpenedSandbox> => {
		const managed = await createSandbox({ client, settings, taskId, signal, tell });
		try {
			const place = await greet({ client, sandboxId: managed.id, limits }, signal);
			return { place, terminate: () => terminateSandbox(client, managed) };
		} catch (cause) {
			// Nothing was done in it, so there is nothing to keep.
			await terminateSandbox(client, { ...managed, isKept: false }).catch(() => undefined);
			throw cause instanceof SandboxGone ? goneMeanwhile({ client, sandboxId: managed.id, limits }, cause) : cause;
		}
	};
	return new ManagedPlace(await open(signal), { open, tell });
}

/** The gateway to use, or one sentence about why not. */
function requirements(
	{ credential_files: files = [] }: Pick<ManagedSettings, "credential_files">,
	source: { readonly variables: Variables; readonly home: string },
): ToolGateway | string {
	if (files.length > 0)
		return `it takes no credential files, and terminal.credential_files names ${files.length === 1 ? "one" : files.length}; empty that list, or set terminal.modal_mode to direct`;
	const gateway = findGateway(vendor, source);
	if (typeof gateway === "string") return gateway;
	const token = gateway.peekToken();
	return typeof token === "string" ? token : gateway;
}

/** Seconds from the environment, for slow networks. A start is answered when the sandbox has taken it. */
function execLimits(variables: Variables): ExecLimits {
	const connectMs = secondsOf(variables, "CONNECT_TIMEOUT", 1) * 1000;
	return {
		startMs: 10_000,
		pollMs: connectMs + secondsOf(variables, "POLL_READ_TIMEOUT", 5) * 1000,
		cancelMs: connectMs + secondsOf(variables, "CANCEL_READ_TIMEOUT", 5) * 1000,
	};
}

function secondsOf(variables: Variables, name: string, usual: number): number {
	const seconds = Number(variables[`TERMINAL_MANAGED_MODAL_${name}_SECONDS`]);
	return seconds > 0 && Number.isFinite(seconds) ? seconds : usual;
}

/** Looks around in a new sandbox. */
async function greet(place: ExecPlace, signal: AbortSignal): Promise<GreetedPlace> {
	const mark = `hermes-${crypto.randomUUID()}`;
	const name = `hermes-managed-${crypto.randomUUID().slice(0, 8)}`;
	const { output } = await runStep(place, {
		command: commandLine(greetScript, [mark, name]),
		timeoutMs: stepMs,
		signal,
	});
	const lines = markedLines(output, mark);
	const folder = lines.find((line) => line.startsWith("at "))?.slice("at ".length);
	if (folder === undefined) {
		const why = lines.find((line) => line.startsWith("fail "))?.slice("fail ".length);
		throw new BackendUnavailable(
			`Cannot use the managed sandbox ${place.sandboxId}: ${why ?? `its shell does not work (${output.trim().slice(0, 300)})`}`,
		);
	}
	const has = (tool: string) => lines.includes(`tool ${tool}`);
	// A program that a shell puts into the background is deaf to Ctrl-C, with all it starts.
	const words = [...(has("setsid") ? ["setsid"] : []), ...(has("signals") ? ["env", "--default-signal=INT,QUIT"] : [])];
	let calls = 0;
	return {
		...place,
		run: crypto.randomUUID(),
		folder,
		tools: { apart: words.join(" "), hasTimeout: has("timeout"), hasLongLines: has("lines") },
		inherited: exportedNames(output.slice(output.indexOf(`${mark} exports`))),
		nextCall: () => `${name.slice(-8)}-${++calls}x`,
		leftOver: new Set(),
	};
}

/** A sandbox that was opened. */
interface OpenedSandbox {
	readonly place: GreetedPlace;
	readonly terminate: () => Promise<void>;
}

interface Reopening {
	/** Opens another one for the same task. */
	open(signal: AbortSignal): Promise<OpenedSandbox>;
	tell(line: string): void;
}

/** The sandbox of a task. One that is gone is replaced when something is to be started; what ran in it is lost. */
class ManagedPlace implements Sandbox {
	readonly isSlowForHelpers = true;
	readonly #reopening: Reopening;
	readonly #alive = new Set<Running>();
	readonly #size = usualFetchSize();
	#opened: OpenedSandbox;
	#next: Promise<OpenedSandbox> | undefined;

	constructor(opened: OpenedSandbox, reopening: Reopening) {
		this.#opened = opened;
		this.#reopening = reopening;
	}

	get ranOn(): string {
		return `managed-modal:${this.#opened.place.sandboxId}`;
	}

	async start(argv: readonly string[], options: StartOptions): Promise<Running> {
		const { place } = this.#opened;
		try {
			return await this.#startIn(place, argv, options);
		} catch (cause) {
			if (!(cause instanceof SandboxGone)) throw cause;
			await untilAborted(this.#replace(place, cause), options.signal);
		}
		return this.#startIn(this.#opened.place, argv, options).catch((cause) => {
			throw cause instanceof SandboxGone ? goneMeanwhile(this.#opened.place, cause) : cause;
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#next?.catch(() => undefined);
		const { place, terminate } = this.#opened;
		await Promise.race([tidyUp(place, this.#alive), Bun.sleep(closeLimitMs)]);
		await terminate();
	}

	async #startIn(place: GreetedPlace, argv: readonly string[], options: StartOptions): Promise<Running> {
		const running = await startProgram(place, argv, { options, size: this.#size });
		this.#alive.add(running);
		const forget = () => void this.#alive.delete(running);
		running.exited.then(forget, forget);
		return running;
	}

	/** Several commands may find out at the same moment. */
	async #replace(gone: GreetedPlace, { message }: SandboxGone): Promise<void> {
		if (this.#opened.place !== gone) return;
		if (this.#next === undefined) {
			this.#reopening.tell(
				`The managed sandbox ${gone.sandboxId} is gone (${message}); the task goes on in a new one, with the files of the last snapshot where there is one`,
			);
			this.#next = this.#reopening.open(new AbortController().signal);
		}
		try {
			this.#opened = await this.#next;
		} finally {
			this.#next = undefined;
		}
	}
}

/** So that a snapshot has nothing of ours in it. A sandbox that cannot be tidied up is let go all the same. */
async function tidyUp(place: GreetedPlace, alive: ReadonlySet<Running>): Promise<void> {
	await Promise.allSettled([...alive].map((running) => running.kill()));
	const command = commandLine('rm -rf -- "$1"', [place.folder]);
	const signal = AbortSignal.timeout(closeLimitMs);
	await runStep(place, { command, timeoutMs: stepMs, signal }).catch(() => undefined);
}
