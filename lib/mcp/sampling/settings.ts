/** What `mcp_servers.<name>.sampling` allows a server to ask of the user's model. */

import { z } from "zod";

const names = z
	.union([z.string(), z.array(z.string())])
	.transform((written) => (typeof written === "string" ? [written] : written));

const shape = z.looseObject({
	/** Every answer is paid for by the user, so that nothing is allowed unless they said so. */
	enabled: z.union([z.boolean(), z.stringbool()]).default(false),
	/** `ask` before each request, or `allow` all within the limits. */
	consent: z.enum(["ask", "allow"]).default("ask"),
	/** The model that answers, whatever the server would like. */
	model: z.string().min(1).optional(),
	/** Models that may answer, by their whole names; any when empty. */
	allowed_models: names.default([]),
	max_tokens_cap: z.coerce.number().int().positive().default(4_096),
	/** Requests a minute. */
	max_rpm: z.coerce.number().int().positive().default(10),
	/** Tokens that one run of hermes may spend for the server; 0 is no limit. */
	token_budget: z.coerce.number().int().nonnegative().default(0),
	/** How often a model may call tools of the server before it has to answer; 0 forbids tools. */
	max_tool_rounds: z.coerce.number().int().nonnegative().default(5),
	/** Seconds that an answer may take. */
	timeout: z.coerce.number().positive().default(30),
});

/** Checked. */
export type SamplingSettings = z.output<typeof shape>;

/** The settings. @throws {Error} With the name of the server and of the setting that is wrong. */
export function readSamplingSettings(server: string, written: unknown): SamplingSettings {
	const parsed = shape.safeParse(written ?? {});
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	throw new Error(
		`Cannot read mcp_servers.${server}.sampling: ${issue?.path.join(".") || "the section"}: ${issue?.message}`,
	);
}
