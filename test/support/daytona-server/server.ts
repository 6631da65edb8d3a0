/** Daytona's far side on this machine: its REST interface, and the program inside each sandbox that serves terminals. */

import type { Server } from "bun";
import { type Faults, noFaults } from "./faults.ts";
import { type CreateRequest, Machine } from "./machines.ts";
import type { ClientData, Terminals } from "./terminals.ts";

/** A running server. */
export interface DaytonaServer extends AsyncDisposable {
	/** What a user would have in the environment. */
	readonly variables: Readonly<Record<string, string>>;
	readonly faults: Faults;
	/** Sandboxes that have not been deleted. */
	machines(): Machine[];
	/** `METHOD path` of every request that came, except those that ask for the state of a sandbox. */
	readonly requests: readonly string[];
}

const key = "dtn_test";
const exitProtocol = "X-Daytona-Pty-Exit-Control";

/** Starts one, for one account without sandboxes. */
export function startDaytonaServer(): DaytonaServer {
	const service = new Service();
	const server: Server<ClientData> = Bun.serve<ClientData>({
		port: 0,
		hostname: "127.0.0.1",
		idleTimeout: 0,
		fetch: (request, server) => service.answer(request, server),
		websocket: {
			idleTimeout: 0,
			backpressureLimit: 64 * 1024 * 1024,
			open: (client) => client.data.terminals.opened(client),
			message: (client, message) => client.data.terminals.received(client, message),
			drain: (client) => client.data.terminals.drained(client),
			close: (client) => client.data.terminals.closed(client),
		},
	});
	service.url = `http://127.0.0.1:${server.port}`;
	return {
		variables: { DAYTONA_API_KEY: key, DAYTONA_API_URL: `${service.url}/api`, DAYTONA_TARGET: "us" },
		faults: service.faults,
		machines: () => [...service.machines.values()].filter(({ state }) => state !== "destroyed"),
		requests: service.requests,
		async [Symbol.asyncDispose]() {
			await Promise.all([...service.machines.values()].map((machine) => machine.destroy()));
			await server.stop(true);
		},
	};
}

class Service {
	readonly faults = noFaults();
	readonly machines = new Map<string, Machine>();
	readonly requests: string[] = [];
	url = "";

	async answer(request: Request, server: Server<ClientData>): Promise<Response | undefined> {
		const url = new URL(request.url);
		const words = url.pathname.split("/").slice(1);
		if (this.faults.latencyMs > 0) await Bun.sleep(this.faults.latencyMs);
		if (!/^GET .*\/sandbox\/[^/]+$/.test(`${request.method} ${url.pathname}`)) {
			this.requests.push(`${request.method} ${url.pathname}`);
		}
		const isKnown = request.headers.get("authorization") === `Bearer ${key}`;
		if (this.faults.isRevoked || !isKnown) return refuse(401, "Invalid credentials");
		if (this.faults.failing > 0) {
			this.faults.failing--;
			return refuse(502, "Bad gateway");
		}
		const answer =
			words[0] === "api"
				? await this.#api(request, url, words.slice(2))
				: await this.#toolbox(request, url, { words, server });
		answer?.headers.set("date", new Date(Date.now() + this.faults.clockSkewMs).toUTCString());
		return answer;
	}

	async #api(request: Request, url: URL, [which, action]: string[]): Promise<Response> {
		if (which === undefined) {
			return request.method === "POST" ? this.#create((await request.json()) as CreateRequest) : this.#list(url);
		}
		const machine = this.#find(decodeURIComponent(which));
		if (machine === undefined) return refuse(404, `Sandbox with ID or name ${which} not found`);
		if (request.method === "GET" && action === undefined) return this.#show(machine);
		if (request.method === "GET" && action === "toolbox-proxy-url")
			return Response.json({ url: `${this.url}/toolbox` });
		if (request.method === "DELETE" && action === undefined) {
			await machine.destroy();
			return this.#show(machine);
		}
		if (action === "start") return this.#start(machine);
		if (action === "stop") return this.#stop(machine);
		return refuse(404, `Cannot ${request.method} ${url.pathname}`);
	}

	#show(machine: Machine): Response {
		return Response.json(machine.describe(`${this.url}/toolbox`));
	}

	#find(idOrName: string): Machine | undefined {
		const all = [...this.machines.values()].filter(({ state }) => state !== "destroyed");
		return all.find(({ id, name }) => id === idOrName || name === idOrName);
	}

	#create(wanted: CreateRequest): Response {
		if (this.faults.throttled > 0) {
			this.faults.throttled--;
			const retry = this.faults.retryAfterSeconds;
			return refuse(429, "Too many requests", retry > 0 ? { "retry-after": String(retry) } : {});
		}
		if (wanted.name !== undefined && this.#find(wanted.name) !== undefined) {
			return refuse(409, `Sandbox with name ${wanted.name} already exists`);
		}
		const machine = new Machine(wanted, this.faults);
		this.machines.set(machine.id, machine);
		void machine.start("creating");
		if (!this.faults.isCreationLost) return this.#show(machine);
		this.faults.isCreationLost = false;
		return refuse(504, "Gateway timeout");
	}

	/** One page holds one sandbox, whatever is asked for: whoever wants all has to follow the cursor. */
	#list(url: URL): Response {
		const labels = Object.entries(JSON.parse(url.searchParams.get("labels") ?? "{}"));
		const all = [...this.machines.values()].filter(
			({ state, request }) =>
				state !== "destroyed" && labels.every(([label, value]) => request.labels?.[label] === value),
		);
		const at = Number(url.searchParams.get("cursor") ?? 0);
		const items = all.slice(at, at + 1).map((machine) => machine.describe(`${this.url}/toolbox`));
		return Response.json({ items, total: all.length, nextCursor: at + 1 < all.length ? String(at + 1) : null });
	}

	#start(machine: Machine): Response {
		const { startFailure } = this.faults;
		if (machine.state === "started") return this.#show(machine);
		if (!/^(?:stopped|archived)$/.test(machine.state)) return refuse(409, "Sandbox state change in progress");
		if (startFailure !== undefined) {
			machine.state = "error";
			machine.errorReason = startFailure;
			return this.#show(machine);
		}
		void machine.start(machine.state === "archived" ? "restoring" : "starting");
		return this.#show(machine);
	}

	#stop(machine: Machine): Response {
		if (machine.state !== "started") return refuse(409, "Sandbox is not started");
		if (machine.request.autoDeleteInterval === 0) void machine.destroy();
		else void machine.stop();
		return this.#show(machine);
	}

	/** `/toolbox/ID/process/pty/…` */
	async #toolbox(
		request: Request,
		url: URL,
		{ words, server }: { readonly words: readonly string[]; readonly server: Server<ClientData> },
	): Promise<Response | undefined> {
		const [, id = "", , , session = "", action] = words;
		const terminals = this.machines.get(id)?.terminals;
		if (terminals === undefined)
			return refuse(400, "failed to get runner info: no IP address found. Is the Sandbox started?");
		if (session === "create-connect") {
			return this.#upgrade(request, server, { terminals, id: url.searchParams.get("id") ?? "", url });
		}
		if (action === "connect") return this.#upgrade(request, server, { terminals, id: session });
		if (request.method === "DELETE") {
			return terminals.kill(session)
				? Response.json({ message: "PTY session deleted" })
				: refuse(404, "PTY session not found");
		}
		if (terminals.has(session)) return Response.json({ id: session, active: true });
		return refuse(404, "PTY session not found");
	}

	#upgrade(
		request: Request,
		server: Server<ClientData>,
		{ terminals, id, url }: { readonly terminals: Terminals; readonly id: string; readonly url?: URL },
	): Response | undefined {
		if (this.faults.isUnreachable) return refuse(502, "Bad gateway");
		const offered = (request.headers.get("sec-websocket-protocol") ?? "").split(/,\s*/);
		const wantsExit = offered.includes(exitProtocol);
		const size = {
			columns: Number(url?.searchParams.get("cols") ?? 80),
			rows: Number(url?.searchParams.get("rows") ?? 24),
		};
		const data: ClientData = {
			terminals,
			request: { id, isNew: url !== undefined, ...size },
			wantsExit,
			queue: [],
			left: Number.POSITIVE_INFINITY,
		};
		const headers = wantsExit ? { "Sec-WebSocket-Protocol": exitProtocol } : undefined;
		return server.upgrade(request, { data, ...(headers && { headers }) }) ? undefined : refuse(426, "Upgrade required");
	}
}

function refuse(statusCode: number, message: string, headers: Record<string, string> = {}): Response {
	return Response.json({ statusCode, message, error: message }, { status: statusCode, headers });
}
