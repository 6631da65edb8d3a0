/** `hermes tools pipe`: tool calls as JSON lines, all in one shell session. */

import { z } from "zod";
import { readJson } from "../../registry/arguments/read-json.ts";
import { toolError } from "../../registry/tool.ts";
import { commonFlags, placeFlags } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import type { OpenToolSession } from "../runtime/open-tool-session.ts";
import type { Call } from "../runtime/open-tools.ts";
import { type Cli, defineAction } from "../subcommand.ts";

/** Calls that change nothing and may run at once; further lines wait in the pipe. */
const mostAtOnce = 16;

/** Calls from standard input, one JSON object a line, answered in order. */
export const pipe = defineAction({
	summary: "Call tools by JSON lines on standard input",
	details: [
		'A line {"id": 1, "name": "read_file", "arguments": {"path": "a"}} is answered by {"id": 1, "result": "<JSON text>"}.',
		"Calls run in the order of their lines, all in one shell session. Neighbours that only read run side by side.",
		"Calls that need approval are denied unless --yolo or HERMES_YOLO_MODE=1 is given.",
	].join("\n"),
	flags: placeFlags.extend({ yolo: commonFlags.shape.yolo }),

	async run({ flags }, cli) {
		const { openToolSession } = await import("../runtime/open-tool-session.ts");
		await using session = await openToolSession(cli, flags);
		const running = new Set<Promise<void>>();
		for await (const line of untilInterrupted(cli)) {
			if (line.trim() === "") continue;
			const request = readRequest(line);
			const isReader = !request.ok || session.isReadOnly(request.call.name);
			if (!isReader) await Promise.all(running);
			const answered: Promise<void> = answer(request, session, cli).finally(() => running.delete(answered));
			running.add(answered);
			if (!isReader) await answered;
			else if (running.size >= mostAtOnce) await Promise.race(running);
		}
		await Promise.all(running);
		return cli.interruption.exitCode() ?? exitCodes.ok;
	},
});

const request = z.object({
	id: z.union([z.string(), z.number(), z.null()]).optional(),
	name: z.string(),
	arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).default({}),
});

/** A line, or what is wrong with it. */
type ReadLine =
	| { readonly ok: true; readonly id: unknown; readonly call: Call }
	| { readonly ok: false; readonly id: unknown; readonly reason: string };

function readRequest(line: string): ReadLine {
	const read = readJson(line);
	if (!read.ok) return { ok: false, id: null, reason: "it is not JSON" };
	const parsed = request.safeParse(read.value);
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		return { ok: false, id: idOf(read.value), reason: `${issue?.path.join(".") || "it"}: ${issue?.message}` };
	}
	const { id, ...call } = parsed.data;
	return { ok: true, id, call: { ...call, ...(typeof id === "string" && { id }) } };
}

async function answer(line: ReadLine, session: OpenToolSession, cli: Cli): Promise<void> {
	const result = line.ok ? (await session.call(line.call)).answer : toolError(`Cannot read the line: ${line.reason}`);
	cli.stdout.write(`${JSON.stringify({ id: line.id ?? null, result })}\n`);
}

/** Lines of standard input until it ends or the run is stopped. */
async function* untilInterrupted(cli: Cli): AsyncGenerator<string> {
	const { signal } = cli.interruption;
	const stopped = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
	const lines = cli.stdinLines()[Symbol.asyncIterator]();
	while (!signal.aborted) {
		const next = await Promise.race([lines.next(), stopped]);
		if (next === undefined || next.done) return;
		yield next.value;
	}
}

/** The id of a line that is otherwise wrong, so that whoever wrote it can tell which. */
function idOf(value: unknown): unknown {
	const isObject = typeof value === "object" && value !== null;
	return isObject && "id" in value && ["string", "number"].includes(typeof value.id) ? value.id : null;
}
