/** What config.yaml says of one MCP server, checked. */

import { z } from "zod";

const names = z
	.union([z.string(), z.array(z.string())])
	.transform((written) => (typeof written === "string" ? [written] : written));

const entry = z.looseObject({
	enabled: z.union([z.boolean(), z.stringbool()]).default(true),
	command: z.string().min(1),
	args: z.array(z.coerce.string()).default([]),
	env: z.record(z.string(), z.coerce.string()).default({}),
	timeout: z.coerce.number().positive().default(120),
	connect_timeout: z.coerce.number().positive().default(60),
	tools: z.looseObject({ include: names.optional(), exclude: names.optional() }).default({}),
});

/** One server that is started as a process; times are in seconds. */
export type ServerSettings = z.output<typeof entry>;

/** The settings, or why they are none. */
export type ReadSettings =
	| { readonly ok: true; readonly settings: ServerSettings }
	| { readonly ok: false; readonly reason: string };

const shells = /(?:^|[\\/])(?:bash|sh|zsh|dash|fish|cmd|powershell|pwsh)(?:\.exe)?$/i;
const downloads =
	/\b(?:curl|wget|nc|ncat|socat|Invoke-WebRequest|Invoke-RestMethod)\b|\/dev\/tcp\/|System\.Net\.WebClient/i;

/** Reads one entry of `mcp_servers`. A shell that fetches something is no server (#45620). */
export function readServerSettings(written: unknown): ReadSettings {
	if (isAddress(written)) return { ok: false, reason: "servers with an url are not supported" };
	const parsed = entry.safeParse(written);
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		return { ok: false, reason: `${issue?.path.join(".") || "the entry"}: ${issue?.message}` };
	}
	const { command, args } = parsed.data;
	if (shells.test(command) && downloads.test(args.join(" "))) {
		return { ok: false, reason: "its command is a shell that downloads something" };
	}
	return { ok: true, settings: parsed.data };
}

function isAddress(written: unknown): boolean {
	return typeof written === "object" && written !== null && "url" in written;
}
