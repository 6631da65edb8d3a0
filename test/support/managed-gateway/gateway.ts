/** The far side of managed sandboxes: the gateway's HTTP contract, over folders of this machine. */

import { mkdirSync } from "node:fs";
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

/** Starts one on a free port. Its files are in `folder`. */
export function startManagedGateway(folder: string): ManagedGateway {
	return new Gateway(folder);
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
	readonly #server: Bun.Server<undefined>;

	constructor(folder: string) {
		this.#folder = folder;
		this.#server = Bun.serve({
			hostname: "127.0.0.1",
			port: 0,
			idleTimeout: 0,
			fetch: (request) => this.#serve(request),
		});
	}

	get url(): string {
		return `http://127.0.0.1:${this.#server.port}`;
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
		await this.#server.stop(true);
	}

	async #serve(request: Request): Promise<Response> {
		const { pathname } = new URL(request.url);
		const name = `${request.method} ${pathname}`;
		this.requests.push(name);
		if (this.faults.latencyMs > 0) await Bun.sleep(this.faults.latencyMs);
		const fault = this.#nextFault(name);
		if (fault === "drop") return brokenAnswer(0);
		if (typeof fault === "object") return Response.json(fault.body ?? { error: "no" }, fault);
		try {
			this.#authorize(request);
			const body = request.method === "POST" ? ((await request.json()) as Body) : {};
			const answer = JSON.stringify(await this.#answer(pathname.split("/").slice(2), { request, body }));
			const { dropAfterBytes } = this.faults;
			if (fault === "dropAnswer") return brokenAnswer(0);
			if (dropAfterBytes > 0 && answer.length > dropAfterBytes) return brokenAnswer(dropAfterBytes, answer);
			return new Response(answer, { headers: { "content-type": "application/json" } });
		} catch (cause) {
			if (cause instanceof Refusal) return Response.json(cause.body, { status: cause.status });
			throw cause;
		}
	}

	#nextFault(name: string): QueuedFault["does"] | undefined {
		const at = this.faults.queue.findIndex(({ matches }) => matches.test(name));
		return at === -1 ? undefined : this.faults.queue.splice(at, 1)[0]?.does;
	}

	#authorize({ headers }: Request): void {
		const token = /^Bearer (.+)$/.exec(headers.get("authorization") ?? "")?.[1] ?? "";
		if (!this.faults.tokens.has(token)) throw new Refusal(401, { error: "invalid token", code: "unauthorized" });
		if (!this.faults.isEntitled) throw new Refusal(403, { error: "no active subscription", code: "not_entitled" });
	}

	async #answer(parts: string[], { request, body }: { request: Request; body: Body }): Promise<Body> {
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

	async #create(request: Request, body: Body): Promise<Sandbox> {
		const idempotencyKey = request.headers.get("x-idempotency-key") ?? "";
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
		// Long enough for a command that does nothing.
		await (this.faults.answersAtEnd ? exec.settled : Promise.race([exec.settled, Bun.sleep(5)]));
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

/** Promises more than it sends. */
function brokenAnswer(bytes: number, text = ""): Response {
	const body = new ReadableStream<Uint8Array>({
		async pull(controller) {
			if (bytes > 0) controller.enqueue(Buffer.from(text.slice(0, bytes)));
			await Bun.sleep(1);
			controller.error(new Error("dropped"));
		},
	});
	return new Response(body, { headers: { "content-type": "application/json" } });
}
