/** Pulls an image and tells how far it is. */

import type Docker from "dockerode";
import { z } from "zod";
import { BackendUnavailable } from "../../backend.ts";
import { parseJson } from "../engine/client-files.ts";
import { engineError } from "../engine/engine-error.ts";
import { pullName } from "./reference.ts";
import type { Login } from "./registry-login.ts";

/** What a pull needs besides the name. */
export interface PullOptions {
	readonly login: Login | undefined;
	readonly signal: AbortSignal;
	onProgress?: ((line: string) => void) | undefined;
}

/** A line of progress is for a person. */
const progressEveryMs = 2_000;
const megabyte = 1_000_000;

const event = z.looseObject({
	id: z.string().optional(),
	status: z.string().default(""),
	error: z.string().optional(),
	progressDetail: z.looseObject({ current: z.number().optional(), total: z.number().optional() }).optional(),
});

/** Pulls `reference`. @throws {BackendUnavailable} When the registry refuses, or there is no such image. */
export async function pullImage(docker: Docker, reference: string, options: PullOptions): Promise<void> {
	const { login, signal, onProgress } = options;
	onProgress?.(`Pulling ${reference}`);
	const startedAt = performance.now();
	const layers = new Layers();
	let shownAt = startedAt;
	try {
		const stream = await docker.pull(pullName(reference), {
			abortSignal: signal,
			...(login !== undefined && { authconfig: { ...login } }),
		});
		for await (const line of lines(stream)) {
			const { error, id, status, progressDetail } = event.parse(parseJson(line) ?? {});
			if (error !== undefined) throw refused(reference, error, undefined);
			layers.take(id, status, progressDetail);
			if (performance.now() - shownAt < progressEveryMs) continue;
			shownAt = performance.now();
			onProgress?.(`Pulling ${reference}: ${layers.describe()}`);
		}
	} catch (cause) {
		signal.throwIfAborted();
		throw cause instanceof BackendUnavailable ? cause : refused(reference, engineError(cause).reason, cause);
	}
	onProgress?.(`Pulled ${reference} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

function refused(reference: string, reason: string, cause: unknown): BackendUnavailable {
	const advice = /denied|unauthorized|authentication|no basic auth/i.test(reason) ? "; log in with `docker login`" : "";
	return new BackendUnavailable(`Cannot pull "${reference}": ${reason}${advice}`, { cause });
}

/** How much of each layer is here. */
class Layers {
	readonly #layers = new Map<string, { current: number; total: number; isDone: boolean }>();

	take(id: string | undefined, status: string, detail: z.output<typeof event>["progressDetail"]): void {
		if (id === undefined || /^Pulling from/.test(status)) return;
		const layer = this.#layers.get(id) ?? { current: 0, total: 0, isDone: false };
		if (status === "Downloading") {
			layer.current = detail?.current ?? layer.current;
			layer.total = detail?.total ?? layer.total;
		}
		layer.isDone ||= status === "Pull complete" || status === "Already exists";
		if (status === "Download complete" || layer.isDone) layer.current = layer.total;
		this.#layers.set(id, layer);
	}

	describe(): string {
		const all = [...this.#layers.values()];
		const sum = (field: "current" | "total") => all.reduce((total, layer) => total + layer[field], 0) / megabyte;
		const done = all.filter(({ isDone }) => isDone).length;
		return `${done} of ${all.length} layers, ${sum("current").toFixed(0)} of ${sum("total").toFixed(0)} MB`;
	}
}

async function* lines(stream: NodeJS.ReadableStream): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const chunk of stream) {
		rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
		const whole = rest.split("\n");
		rest = whole.pop() ?? "";
		yield* whole.filter((line) => line.trim() !== "");
	}
	if (rest.trim() !== "") yield rest;
}
