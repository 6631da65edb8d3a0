/** How much a model holds at a server of this machine: what it was started with, which is often much less than the model could. */

import { z } from "zod";
import { type LocalServer, localServers } from "../local-servers.ts";

/** Windows of the models of one server. */
export interface LocalWindows {
	/** Tokens, as soon as the server has said so; a question that had no answer is asked again with the next call. Nothing waits. */
	of(model: string): number | undefined;
	/** Until what is being asked is answered. */
	settled(): Promise<void>;
}

/** How long a server on this machine may take to answer. */
const answerMs = 1_000;

const tokens = z.number().int().positive();
const running = z.object({
	models: z.array(z.object({ name: z.string(), model: z.string().optional(), context_length: tokens.optional() })),
});
const loaded = z.object({ data: z.array(z.object({ id: z.string(), loaded_context_length: tokens.optional() })) });
const served = z.object({ data: z.array(z.object({ id: z.string(), max_model_len: tokens.optional() })) });
const started = z.object({ default_generation_settings: z.object({ n_ctx: tokens }) });

/** Where each kind of server says it, and how it is read: that of the model as it runs, never what it was trained for. */
const kinds: Readonly<
	Record<string, { readonly path: string; read(body: unknown, model: string): number | undefined }>
> = {
	ollama: {
		path: "/api/ps",
		read: (body, model) =>
			running
				.safeParse(body)
				.data?.models.find((each) => [each.name, each.model].some((name) => withTag(name) === withTag(model)))
				?.context_length,
	},
	lmstudio: {
		path: "/api/v0/models",
		read: (body, model) => loaded.safeParse(body).data?.data.find(({ id }) => id === model)?.loaded_context_length,
	},
	vllm: {
		path: "/v1/models",
		read: (body, model) => served.safeParse(body).data?.data.find(({ id }) => id === model)?.max_model_len,
	},
	llamacpp: { path: "/props", read: (body) => started.safeParse(body).data?.default_generation_settings.n_ctx },
};

/** Ollama calls the newest version of a model by its name alone. */
function withTag(name: string | undefined): string | undefined {
	return name === undefined || name.includes(":") ? name : `${name}:latest`;
}

/**
 * The server at `baseUrl`, or the one that `preset` names; undefined for any other endpoint: nobody else is asked. No key is
 * sent, and nothing leaves this machine.
 */
export function openLocalWindows(
	{ baseUrl, preset }: { readonly baseUrl: string | undefined; readonly preset: string },
	servers: readonly LocalServer[] = localServers,
): LocalWindows | undefined {
	const server = servers.find((each) =>
		baseUrl === undefined ? each.name === preset : portOf(baseUrl) === String(each.port),
	);
	const kind = server && kinds[server.name];
	if (server === undefined || kind === undefined) return undefined;
	const known = new Map<string, number>();
	const asked = new Map<string, Promise<void>>();
	const ask = async (model: string) => {
		try {
			const url = new URL(kind.path, server.baseUrl);
			const signal = AbortSignal.timeout(answerMs);
			const response = await fetch(url, { signal, redirect: "manual", proxy: false });
			const window = response.ok ? kind.read(await response.json(), model) : undefined;
			if (window !== undefined) known.set(model, window);
		} catch {
			// It may not run yet, or be something else: then the window is not known from here.
		} finally {
			asked.delete(model);
		}
	};
	return {
		of(model) {
			if (!known.has(model) && !asked.has(model)) asked.set(model, ask(model));
			return known.get(model);
		},
		settled: async () => void (await Promise.all(asked.values())),
	};
}

/** The port of an address of this machine. */
function portOf(baseUrl: string): string | undefined {
	const url = URL.parse(baseUrl);
	const isHere = url !== null && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
	return isHere ? url.port : undefined;
}
