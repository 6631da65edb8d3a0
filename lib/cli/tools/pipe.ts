/** `hermes tools pipe`: tool calls as JSON lines, all in one shell session. */

import { z } from "zod";
import { toolError } from "../../registry/tool.ts";
import { commonFlags, placeFlags } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import type { OpenToolSession } from "../runtime/open-tool-session.ts";
import { type Cli, defineAction } from "../subcommand.ts";

/** Calls that may run at once; further lines wait in the pipe. */
const mostAtOnce = 16;

export const pipe = defineAction({
	summary: "Call tools by JSON lines on standard input",
	details: [
		'A line {"id": 1, "name": "read_file", "arguments": {"path": "a"}} is answered by {"id": 1, "result": "<JSON text>"}.',
		"Calls run side by side in one shell session and are answered as they finish; wait for an answer where order matters.",
		"Calls that need approval are denied unless --yolo or HERMES_YOLO_MODE=1 is given.",
	].join("\n"),
	flags: placeFlags.extend({ yolo: commonFlags.shape.yolo }),

	async run({ flags }, cli) {
		const { openToolSession } = await import("../runtime/open-tool-session.ts");
		await using session = await openToolSession(cli, flags);
		const running = new Set<Promise<void>>();
		for await (const line of untilInterrupted(cli)) {
			if (line.trim() === "") continue;
			const answered: Promise<void> = answerLine(line, session, cli).finally(() => running.delete(answered));
			running.add(answered);
			if (running.size >= mostAtOnce) await Promise.race(running);
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

async function answerLine(line: string, session: OpenToolSession, cli: Cli): Promise<void> {
	const answer = (id: unknown, result: string) => cli.stdout.write(`${JSON.stringify({ id: id ?? null, result })}\n`);
	const value = parseJson(line);
	if (value === undefined) return answer(null, toolError("Cannot read the line: it is not JSON"));
	const parsed = request.safeParse(value);
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		return answer(idOf(value), toolError(`Cannot read the line: ${issue?.path.join(".") || "it"}: ${issue?.message}`));
	}
	const { answer: result } = await session.call(parsed.data);
	answer(parsed.data.id, result);
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

function parseJson(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		// Answered to whoever wrote the line.
		return undefined;
	}
}

/** The id of a line that is otherwise wrong, so that whoever wrote it can tell which. */
function idOf(value: unknown): unknown {
	const isObject = typeof value === "object" && value !== null;
	return isObject && "id" in value && ["string", "number"].includes(typeof value.id) ? value.id : null;
}
