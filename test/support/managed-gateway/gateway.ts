/** The far side of managed sandboxes: the gateway's HTTP contract, over folders of this machine. */

import { mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { type Faults, noFaults, type QueuedFault } from "./faults.ts";
import { type FolderProcess, openSandboxFolder, type SandboxFolder } from "./sandbox-folder.ts";

/** A running gateway. Disposing it ends every sandbox. */
export interface ManagedGateway extends AsyncDisposable {
	readonly url: string;
	readonly token: string;
	readonly faults: Faults;
	/** `METHOD /path` of every request, in order. */
	readonly requests: string[];
	/** Bodies of requests to create. */
	readonly creates: readonly Readonly<Record<string, unknown>>[];
	/** Ids of the sandboxes that run. */
	running(): string[];
	/** The service ends a sandbox by itself, with a snapshot of it or without. */
	expire(id: string, options?: { readonly keeps: boolean }): Promise<void>;
	/** Forgets what was kept for a task. */
	loseSnapshot(logicalKey: string): void;
}

interface Exec {
	readonly process: FolderProcess;
	readonly settled: Promise<void>;
	status: "running" | "completed" | "cancelled" | "timeout";
	returncode: number | null;
}

interface Sandbox {
	readonly id: string;
	readonly logicalKey: string;
	readonly isPersistent: boolean;
	readonly folder: SandboxFolder;
	readonly execs: Map<string, Exec>;
}

type Body = Readonly<Record<string, unknown>>;

/** An answer that is an error. */
class Refusal extends Error {
	readonly status: number;
	readonly body: Body;
	constructor(status: number, body: Body) {
		super(String(body.error));
		this.status = status;
		this.body = body;
	}
}

/** What is sent back: whole, or up to so many bytes before the connection is cut. */
interface Answer {
	readonly status: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly text: string;
	readonly cutAfter?: number;
}

/** How long the answer to a start is held back for its end. */
const soonMs = 80;

/** Starts one on a free port. Its files are in `folder`. */
export async function startManagedGateway(folder: string): Promise<ManagedGateway> {
	const gateway = new Gateway(folder);
	await gateway.listen();
	return gateway;
}

class Gateway implements ManagedGateway {
	readonly token = crypto.randomUUID();
	readonly faults = noFaults(this.token);
	readonly requests: string[] = [];
	readonly creates: Body[] = [];
	readonly #folder: string;
	readonly #sandboxes = new Map<string, Sandbox>();
	/** Sandboxes by the idempotency key of the request that made them. */
	readonly #made = new Map<string, Promise<Sandbox>>();
	readonly #snapshots = new Map<string, string>();
	readonly #server = createServer((request, response) => void this.#respond(request, response));

	constructor(folder: string) {
		this.#folder = folder;
	}

	async listen(): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#server.listen(0, "127.0.0.1", resolve);
		await promise;
	}

	get url(): string {
		const address = this.#server.address();
		if (address === null || typeof address === "string") throw new Error("the gateway does not listen");
		return `http://127.0.0.1:${address.port}`;
	}

	running(): string[] {
		return [...this.#sandboxes.keys()];
	}

	async expire(id: string, { keeps } = { keeps: true }): Promise<void> {
		const sandbox = this.#sandbox(id);
		if (keeps && sandbox.isPersistent) this.#snapshot(sandbox);
		await this.#end(sandbox);
	}

	loseSnapshot(logicalKey: string): void {
		this.#snapshots.delete(logicalKey);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all([...this.#sandboxes.values()].map((sandbox) => this.#end(sandbox)));
		this.#server.closeAllConnections();
		this.#server.close();
	}

	async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { status, headers, text, cutAfter } = await this.#serve(request, await textOf(request));
		const whole = Buffer.from(text);
		response.writeHead(status, { "content-type": "application/json", ...headers, "content-length": whole.length });
		if (cutAfter === undefined) response.end(whole);
		else response.write(whole.subarray(0, cutAfter), () => response.socket?.destroy());
	}

	async #serve(request: IncomingMessage, text: string): Promise<Answer> {
		const path = request.url ?? "";
		const name = `${request.method} ${path}`;
		this.requests.push(name);
		if (this.faults.latencyMs > 0) await Bun.sleep(this.faults.latencyMs);
		const fault = this.#nextFault(name);
		if (fault === "drop") return { status: 200, text: "{}", cutAfter: 1 };
		if (typeof fault === "object") return { text: JSON.stringify(fault.body ?? { error: "no" }), ...fault };
		try {
			this.#authorize(request);
			const body = text === "" ? {} : (JSON.parse(text) as Body);
			const answer = JSON.stringify(await this.#answer(path.split("/").slice(2), { request, body }));
			const { dropAfterBytes } = this.faults;
			const isCut = dropAfterBytes > 0 && answer.length > dropAfterBytes;
			if (fault === "dropAnswer" || isCut) return { status: 200, text: answer, cutAfter: isCut ? dropAfterBytes : 1 };
			return { status: 200, text: answer };
		} catch (cause) {
			if (cause instanceof Refusal) return { status: cause.status, text: JSON.stringify(cause.body) };
			throw cause;
		}
	}

	#nextFault(name: string): QueuedFault["does"] | undefined {
		const at = this.faults.queue.findIndex(({ matches }) => matches.test(name));
		return at === -1 ? undefined : this.faults.queue.splice(at, 1)[0]?.does;
	}

	#authorize({ headers }: IncomingMessage): void {
		const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
		if (!this.faults.tokens.has(token)) throw new Refusal(401, { error: "invalid token", code: "unauthorized" });
		if (!this.faults.isEntitled) throw new Refusal(403, { error: "no active subscription", code: "not_entitled" });
	}

	async #answer(parts: string[], { request, body }: { request: IncomingMessage; body: Body }): Promise<Body> {
		const [, id = "", what, execId = "", action] = parts;
		if (id === "") return { id: (await this.#create(request, body)).id, status: "running" };
		const sandbox = this.#sandbox(id);
		if (what === "terminate") return this.#terminate(sandbox, body);
		if (what !== "execs") throw new Refusal(404, { error: "no such resource" });
		if (execId === "") return this.#exec(sandbox, body);
		const exec = sandbox.execs.get(execId);
		if (exec === undefined) throw new Refusal(404, { error: "exec not found", code: "exec_not_found" });
		if (action === "cancel" && exec.status === "running") {
			exec.status = "cancelled";
			exec.process.kill();
		}
		return this.#told(execId, exec);
	}

	#sandbox(id: string): Sandbox {
		const sandbox = this.#sandboxes.get(id);
		if (sandbox === undefined) throw new Refusal(404, { error: "sandbox not found", code: "sandbox_not_found" });
		return sandbox;
	}

	async #create(request: IncomingMessage, body: Body): Promise<Sandbox> {
		const idempotencyKey = String(request.headers["x-idempotency-key"] ?? "");
		if (idempotencyKey === "") throw new Refusal(400, { error: "x-idempotency-key is missing" });
		this.creates.push(body);
		const made = this.#made.get(idempotencyKey) ?? this.#make(body);
		this.#made.set(idempotencyKey, made);
		// What went wrong may go well with the same key.
		made.catch(() => this.#made.delete(idempotencyKey));
		return made;
	}

	async #make(body: Body): Promise<Sandbox> {
		const logicalKey = String(body.logicalKey);
		const isPersistent = body.persistentFilesystem === true;
		const shared = [...this.#sandboxes.values()].find((sandbox) => sandbox.logicalKey === logicalKey);
		if (this.faults.sharesByKey && shared !== undefined) return shared;
		const snapshot = isPersistent ? this.#snapshots.get(logicalKey) : undefined;
		if (snapshot !== undefined && this.faults.failsRestore)
			throw new Refusal(500, { error: "the snapshot cannot be restored", code: "snapshot_restore_failed" });
		const id = `sb-${crypto.randomUUID().slice(0, 8)}`;
		const folder = await openSandboxFolder(join(this.#folder, id), snapshot);
		const sandbox: Sandbox = { id, logicalKey, isPersistent, folder, execs: new Map() };
		this.#sandboxes.set(id, sandbox);
		return sandbox;
	}

	async #terminate(sandbox: Sandbox, { snapshotBeforeTerminate }: Body): Promise<Body> {
		if (snapshotBeforeTerminate === true) this.#snapshot(sandbox);
		await this.#end(sandbox);
		return { id: sandbox.id, status: "terminated" };
	}

	#snapshot({ id, logicalKey, folder }: Sandbox): void {
		const target = join(this.#folder, `snapshot-of-${id}`);
		mkdirSync(target, { recursive: true });
		folder.snapshot(target);
		this.#snapshots.set(logicalKey, target);
	}

	async #end(sandbox: Sandbox): Promise<void> {
		this.#sandboxes.delete(sandbox.id);
		await sandbox.folder.end();
	}

	async #exec(sandbox: Sandbox, body: Body): Promise<Body> {
		const execId = String(body.execId);
		const known = sandbox.execs.get(execId);
		const exec = known ?? this.#start(sandbox, body);
		sandbox.execs.set(execId, exec);
		// What is over soon needs no second question.
		await (this.faults.answersAtEnd ? exec.settled : Promise.race([exec.settled, Bun.sleep(soonMs)]));
		return this.#told(execId, exec);
	}

	#start({ folder }: Sandbox, { command, cwd, timeoutMs, stdinData }: Body): Exec {
		const process = folder.run(String(command), {
			cwd: String(cwd),
			stdin: typeof stdinData === "string" ? stdinData : undefined,
		});
		const settled = process.exited.then((code) => {
			if (exec.status === "running") exec.status = "completed";
			exec.returncode = code;
		});
		const exec: Exec = { process, settled, status: "running", returncode: null };
		const timer = setTimeout(() => {
			exec.status = "timeout";
			process.kill();
		}, Number(timeoutMs));
		void settled.then(() => clearTimeout(timer));
		return exec;
	}

	#told(execId: string, { status, returncode, process }: Exec): Body {
		const isOver = status !== "running" && returncode !== null;
		if (!isOver) return { execId, status: "running" };
		const { keepOutput } = this.faults;
		const output = keepOutput > 0 ? process.output.slice(0, keepOutput) : process.output;
		return { execId, status, output, returncode };
	}
}

async function textOf(request: IncomingMessage): Promise<string> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of request) chunks.push(chunk);
	return Buffer.concat(chunks).toString("utf8");
}
