/** `hermes replay`: the model's side of a session once more, with tools that really run. */

import { z } from "zod";
import { commonFlags, jsonFlag, placeFlags } from "../common-flags.ts";
import { defineAction } from "../subcommand.ts";

export default defineAction({
	summary: "Run the tool calls of a session or cassette again and show where results differ",
	details: [
		"SESSION is an id, the beginning of one, or a title; FILE is a cassette. No model is asked: what it said is played, and every",
		"call really runs, where the session ran or on --backend B. Calls that need consent are denied without --yolo. Times, process",
		"ids and names of sandboxes count as equal.",
		"Exits 0 when all results are the same, 1 when some differ or the replay ended early.",
	].join("\n"),
	operands: "SESSION_OR_FILE",
	completes: "sessions",
	flags: z.object({ ...placeFlags.shape, yolo: commonFlags.shape.yolo, ...jsonFlag.shape }),
	run: async ({ flags, operands: [named = ""] }, cli) => (await import("./run-replay.ts")).runReplay(named, flags, cli),
});
