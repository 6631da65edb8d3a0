/** What `mcp_servers.<name>.oauth` says of a login. */

import { z } from "zod";

const shape = z.looseObject({
	/** Of a client that was registered by hand; without it we register ourselves. */
	client_id: z.coerce.string().min(1).optional(),
	client_secret: z.coerce.string().min(1).optional(),
	/** An https address that describes us, for services that take one in the place of a registration. */
	client_metadata_url: z.url({ protocol: /^https$/ }).optional(),
	client_name: z.string().min(1).default("Hermes Agent"),
	/** What is asked for, split by spaces; what the server says it needs when left out. */
	scope: z.string().min(1).optional(),
	/** Where the browser comes back to; 0 is any free port. */
	redirect_port: z.coerce.number().int().min(0).max(65_535).default(0),
	/** Seconds that a login waits for the browser. */
	timeout: z.coerce.number().positive().default(300),
});

/** Checked. */
export type OAuthSettings = z.output<typeof shape>;

/** The settings. @throws {Error} With the name of the server and of the setting that is wrong. */
export function readOAuthSettings(server: string, written: unknown): OAuthSettings {
	const parsed = shape.safeParse(written ?? {});
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	throw new Error(
		`Cannot read mcp_servers.${server}.oauth: ${issue?.path.join(".") || "the section"}: ${issue?.message}`,
	);
}
