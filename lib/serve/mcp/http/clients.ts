/** All clients of one server over HTTP: each is found by the id that it was given, and there are never too many. */

import { type ClientOptions, type HttpClient, openHttpClient } from "./client.ts";
import { refusal } from "./refusal.ts";

/** How clients are kept. */
export interface ClientsOptions extends Omit<ClientOptions, "onBegun" | "onGone" | "onClosed"> {
	/** Clients at once. */
	readonly mostClients: number;
	/** Told when there is one more, or one less, and how many there are. */
	onCount?(event: "client_opened" | "client_closed", count: number): void;
}

/** The clients. Disposing it closes them all. */
export interface HttpClients extends AsyncDisposable {
	readonly count: number;
	handle(request: Request): Promise<Response>;
}

/** A client that was quiet for this long and is not connected makes room for a new one. */
const quietMs = 60_000;
/** What a refused client is told to wait, in seconds. */
const retrySeconds = "30";
/** A code of the protocol's own range: the session is not there. */
const sessionNotFound = -32_001;
const serverError = -32_000;

/** Nobody yet. */
export function createHttpClients(options: ClientsOptions): HttpClients {
	const clients = new Map<string, HttpClient>();
	/** With those that have gone and are being put away. */
	const open = new Set<HttpClient>();
	/** Those that have been let in and have no id yet. */
	let entering = 0;
	let isClosing = false;

	const leave = (id: string) => {
		if (clients.delete(id)) options.onCount?.("client_closed", clients.size);
	};

	const hasRoom = (): boolean => {
		if (clients.size + entering < options.mostClients) return true;
		const quiet = [...clients.values()]
			.filter(({ isBusy, usedAt }) => !isBusy && performance.now() - usedAt > quietMs)
			.sort((one, other) => one.usedAt - other.usedAt)[0];
		if (quiet?.id === undefined) return false;
		leave(quiet.id);
		void quiet[Symbol.asyncDispose]();
		return true;
	};

	const enter = async (request: Request): Promise<Response> => {
		if (!hasRoom()) {
			options.log.warning(`a client was refused: there are ${options.mostClients} already`);
			const message = `There are ${options.mostClients} clients already; try again later`;
			return refusal(503, { code: serverError, message, headers: { "Retry-After": retrySeconds } });
		}
		entering++;
		try {
			const client = await openHttpClient({
				...options,
				onBegun(id, begun) {
					clients.set(id, begun);
					options.onCount?.("client_opened", clients.size);
				},
				onGone: leave,
				onClosed: (closed) => void open.delete(closed),
			});
			open.add(client);
			const response = await client.handle(request);
			// It did not begin with what a session begins with, and was told so.
			if (client.id === undefined) await client[Symbol.asyncDispose]();
			return response;
		} finally {
			entering--;
		}
	};

	return {
		get count() {
			return clients.size;
		},
		async handle(request) {
			if (isClosing) return refusal(503, { code: serverError, message: "The server is ending" });
			const id = request.headers.get("mcp-session-id");
			if (id === null) return await enter(request);
			const client = clients.get(id);
			if (client !== undefined) return await client.handle(request);
			return refusal(404, { code: sessionNotFound, message: "Session not found: begin a new one" });
		},
		async [Symbol.asyncDispose]() {
			isClosing = true;
			await Promise.allSettled([...open].map((client) => client[Symbol.asyncDispose]()));
		},
	};
}
