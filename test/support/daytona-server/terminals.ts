/** Terminals of one sandbox, as the program inside serves them: a shell each, and connections that come and go. */

import type { ServerWebSocket } from "bun";
import { type Cell, insideHome } from "./cell.ts";
import type { Faults } from "./faults.ts";

/** What a connection carries around. */
export interface ClientData {
	readonly terminals: Terminals;
	readonly request: { readonly id: string; readonly isNew: boolean; readonly columns: number; readonly rows: number };
	readonly wantsExit: boolean;
	terminal?: Terminal;
	queue: Buffer[];
	/** Bytes until it is cut. */
	left: number;
}

type Client = ServerWebSocket<ClientData>;

/** So many pieces are kept for a client that reads too slowly; then it is dropped. */
const queueLength = 256;
/** What is under way already when pieces begin to be kept. */
const underWayBytes = 65_536;
/** A terminal hands over no more at once. */
const pieceBytes = 4_095;

const killedCode = 137;

/** One shell. */
interface Terminal {
	readonly id: string;
	readonly process: Bun.Subprocess;
	readonly clients: Set<Client>;
	readonly isDeaf: boolean;
}

/** The terminals of a sandbox that runs. */
export class Terminals {
	readonly #all = new Map<string, Terminal>();
	readonly #cell: Cell;
	readonly #faults: Faults;

	constructor(cell: Cell, faults: Faults) {
		this.#cell = cell;
		this.#faults = faults;
	}

	/** Ids of those whose shell lives. */
	has(id: string): boolean {
		return this.#all.has(id);
	}

	opened(client: Client): void {
		const { request } = client.data;
		client.data.left = this.#faults.cutAfterBytes.shift() ?? Number.POSITIVE_INFINITY;
		const known = this.#all.get(request.id);
		if (request.isNew === (known !== undefined)) {
			const error = request.isNew ? "PTY session already exists" : "PTY session not found";
			client.send(JSON.stringify({ type: "control", status: "error", error }));
			client.close();
			return;
		}
		const terminal = known ?? this.#start(client.data);
		client.data.terminal = terminal;
		terminal.clients.add(client);
		client.send(JSON.stringify({ type: "control", status: "connected" }));
	}

	received(client: Client, message: string | Buffer): void {
		const { terminal } = client.data;
		if (terminal?.isDeaf === false) terminal.process.terminal?.write(message);
	}

	drained(client: Client): void {
		const { queue } = client.data;
		while (queue.length > 0 && client.getBufferedAmount() < underWayBytes) {
			const next = queue.shift();
			if (next !== undefined) client.send(next);
		}
	}

	closed(client: Client): void {
		client.data.terminal?.clients.delete(client);
	}

	/** Ends a shell and its descendants; false when there is none of that id. */
	kill(id: string): boolean {
		const terminal = this.#all.get(id);
		if (terminal === undefined) return false;
		this.#all.delete(id);
		for (const pid of descendants(terminal.process.pid)) signal(pid);
		terminal.process.kill("SIGKILL");
		this.#goodbye(terminal, killedCode);
		return true;
	}

	/** Breaks all connections; the shells do not notice. */
	cut(): void {
		for (const { clients } of this.#all.values()) for (const client of clients) client.terminate();
	}

	/** Everything inside is gone. Connections break off, as they do when a machine goes away. */
	abandon(): void {
		for (const { clients, process } of this.#all.values()) {
			process.kill("SIGKILL");
			for (const client of clients) client.terminate();
		}
		this.#all.clear();
	}

	#start({ request: { id, columns, rows } }: ClientData): Terminal {
		const clients = new Set<Client>();
		const process = Bun.spawn(this.#cell.enter(["sh", "-c", "cd && exec bash -i -l"]), {
			env: {
				HOME: insideHome,
				PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
				TERM: "xterm-256color",
				DAYTONA_SANDBOX_ID: "inside",
			},
			terminal: { cols: columns, rows, data: (_, data) => this.#broadcast(clients, Buffer.from(data)) },
		});
		const isDeaf = this.#faults.deafTerminals > 0;
		if (isDeaf) this.#faults.deafTerminals--;
		const terminal: Terminal = { id, process, clients, isDeaf };
		this.#all.set(id, terminal);
		void process.exited.then((code) => {
			if (!this.#all.delete(id)) return;
			this.#goodbye(terminal, code);
		});
		return terminal;
	}

	#broadcast(clients: ReadonlySet<Client>, data: Buffer): void {
		for (let at = 0; at < data.length; at += pieceBytes) {
			for (const client of clients) this.#send(client, data.subarray(at, at + pieceBytes));
		}
	}

	#send(client: Client, piece: Buffer): void {
		const { data } = client;
		data.left -= piece.length;
		const hasRoom = data.queue.length === 0 && client.getBufferedAmount() < underWayBytes;
		if (data.left < 0) client.terminate();
		else if (hasRoom) client.send(piece);
		else if (data.queue.push(piece) > queueLength) client.close(1008, "slow consumer");
	}

	#goodbye({ clients, process }: Terminal, exitCode: number): void {
		const reason = exitCode === 0 ? {} : { exitReason: "non-zero exit" };
		for (const client of clients) {
			const exit = { type: "control", status: "exited", exitCode, ...reason };
			if (client.data.wantsExit) client.send(JSON.stringify(exit));
			client.close(exitCode === 0 ? 1000 : 1011, JSON.stringify({ exitCode, ...reason }));
		}
		process.terminal?.close();
	}
}

function descendants(pid: number): number[] {
	const { stdout } = Bun.spawnSync(["ps", "-o", "pid=", "--ppid", String(pid)]);
	const children = stdout.toString().trim().split(/\s+/).filter(Boolean).map(Number);
	return children.flatMap((child) => [...descendants(child), child]);
}

function signal(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// It ended by itself.
	}
}
