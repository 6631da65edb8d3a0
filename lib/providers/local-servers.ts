/** Model servers on this machine: the ports they usually have, and which of them answer. */

/** A kind of server. */
export interface LocalServer {
	readonly name: string;
	readonly port: number;
	/** With `/v1`. */
	readonly baseUrl: string;
}

/** Ollama, LM Studio, vLLM and llama.cpp, in the order in which they are asked. */
export const localServers: readonly LocalServer[] = (
	[
		["ollama", 11_434],
		["lmstudio", 1234],
		["vllm", 8000],
		["llamacpp", 8080],
	] as const
).map(([name, port]) => ({ name, port, baseUrl: `http://127.0.0.1:${port}/v1` }));

/** How long a server on this machine may take to answer. */
const answerMs = 500;

/** A server that answers, and the models it has. */
export interface FoundServer extends LocalServer {
	readonly models: readonly string[];
}

/**
 * The server of that kind, or with `local` the first of any kind, if it answers. Nothing leaves this machine, and no key is sent.
 * Ports are as usual unless `servers` says otherwise.
 */
export async function findLocalServer(
	name: string,
	servers: readonly LocalServer[] = localServers,
): Promise<FoundServer | undefined> {
	const meant = servers.filter((server) => name === "local" || server.name === name);
	return (await Promise.all(meant.map(ask))).find((found) => found !== undefined);
}

/** A program that happens to have the port answers something else, and is none. */
async function ask(server: LocalServer): Promise<FoundServer | undefined> {
	try {
		const signal = AbortSignal.timeout(answerMs);
		const response = await fetch(`${server.baseUrl}/models`, { signal, redirect: "manual", proxy: false });
		const body: unknown = response.ok ? await response.json() : undefined;
		const models = modelIds(body);
		return models === undefined ? undefined : { ...server, models };
	} catch {
		return undefined;
	}
}

function modelIds(body: unknown): string[] | undefined {
	if (typeof body !== "object" || body === null || !("data" in body)) return undefined;
	// Ollama without a model says null.
	const list: unknown = body.data ?? [];
	if (!Array.isArray(list)) return undefined;
	return list.flatMap((entry: unknown) =>
		typeof entry === "object" && entry !== null && "id" in entry && typeof entry.id === "string" ? [entry.id] : [],
	);
}
