/** `hermes demo`: watch the agent repair a small program, without any model. */

import { z } from "zod";
import { commonFlags } from "../common-flags.ts";
import { defineAction } from "../subcommand.ts";

export default defineAction({
	summary: "Watch the agent repair a failing program; needs no model",
	details: [
		"The model's side is played from a tape. The tool calls really run, in a temporary folder.",
		"Exits 0 when the project's own test passes at the end, else 1.",
	].join("\n"),
	flags: z.object({
		backend: commonFlags.shape.backend,
		keep: z.boolean().default(false).meta({ description: "Keep the project's folder" }),
		cassette: z.string().optional().meta({ value: "FILE", description: "Play another tape" }),
	}),
	run: async ({ flags }, cli) => (await import("./run-demo.ts")).runDemo(flags, cli),
});
