/** What config.yaml says of one MCP server, checked. */

import { z } from "zod";

const names = z
	.union([z.string(), z.array(z.string())])
	.transform((written) => (typeof written === "string" ? [written] : written));
const yesOrNo = z.union([z.boolean(), z.stringbool()]);
const texts = z.record(z.string(), z.coerce.string());
/** Two days: nothing takes longer, and timers cannot count on without end. */
const longestSeconds = 172_800;
const seconds = z.coerce
	.number()
	.positive()
	.transform((written) => Math.min(written, longestSeconds));
/** Read by those whose settings they are. */
const section = z.record(z.string(), z.unknown()).default({});

const common = z.object({
	enabled: yesOrNo.default(true),
	/** Seconds that a call may take. */
	timeout: seconds.default(120),
	/** Seconds until the server has to be there, and for each list of what it offers. */
	connect_timeout: seconds.default(60),
	/** Whether its calls may run side by side. */
	supports_parallel_tool_calls: yesOrNo.default(false),
	tools: z
		.looseObject({
			include: names.optional(),
			exclude: names.optional(),
			resources: yesOrNo.default(true),
			prompts: yesOrNo.default(true),
		})
		.prefault({}),
	sampling: section,
	elicitation: section,
});

const processEntry = common.extend({
	command: z.string().min(1),
	args: z.array(z.coerce.string()).default([]),
	env: texts.default({}),
	/** Folder it starts in. */
	cwd: z.string().min(1).optional(),
	/** Where it runs; this machine when left out. */
	backend: z.string().min(1).optional(),
});

const certificate = z.union([
	z.string().min(1),
	z.tuple([z.string(), z.string()]),
	z.tuple([z.string(), z.string(), z.string()]),
]);

const remoteEntry = common.extend({
	url: z.string(),
	/** `http` that fails as such is tried as `sse` when nothing was said. */
	transport: z.enum(["http", "streamable-http", "streamable_http", "sse"]).optional(),
	type: z.enum(["http", "streamable-http", "streamable_http", "sse"]).optional(),
	headers: texts.default({}),
	auth: z.literal("oauth").optional(),
	oauth: section,
	/** False trusts any certificate; a path is a file of authorities to trust besides the usual ones. */
	ssl_verify: z.union([yesOrNo, z.string().min(1)]).default(true),
	/** Path of a PEM file; a list is certificate, key and the key's passphrase. */
	client_cert: certificate.optional(),
	client_key: z.string().min(1).optional(),
});

/** A server that is started as a process. */
export type ProcessSettings = z.output<typeof processEntry> & { readonly kind: "stdio" };

/** A server that is reached by its address. */
export type RemoteSettings = Omit<z.output<typeof remoteEntry>, "transport" | "type"> & {
	readonly kind: "http" | "sse";
	/** Nobody said which of the two it speaks. */
	readonly isGuessed: boolean;
};

/** One server; times are in seconds. */
export type ServerSettings = ProcessSettings | RemoteSettings;

/** The settings, with what should be said about them, or why they are none. */
export type ReadSettings =
	| { readonly ok: true; readonly settings: ServerSettings; readonly warnings: readonly string[] }
	| { readonly ok: false; readonly reason: string };

const shells = /(?:^|[\\/])(?:bash|sh|zsh|dash|fish|cmd|powershell|pwsh)(?:\.exe)?$/i;
const downloads =
	/\b(?:curl|wget|nc|ncat|socat|Invoke-WebRequest|Invoke-RestMethod)\b|\/dev\/tcp\/|System\.Net\.WebClient/i;

/** Reads one entry of `mcp_servers`. A shell that fetches something is no server (#45620). */
export function readServerSettings(written: unknown): ReadSettings {
	return hasUrl(written) ? readRemote(written) : readProcess(written);
}

function readProcess(written: unknown): ReadSettings {
	const parsed = processEntry.safeParse(written);
	if (!parsed.success) return { ok: false, reason: firstIssue(parsed.error) };
	const { command, args } = parsed.data;
	if (shells.test(command) && downloads.test(args.join(" "))) {
		return { ok: false, reason: "its command is a shell that downloads something" };
	}
	return { ok: true, settings: { ...parsed.data, kind: "stdio" }, warnings: unsetVariables(parsed.data) };
}

function readRemote(written: Readonly<Record<string, unknown>>): ReadSettings {
	const parsed = remoteEntry.safeParse(written);
	if (!parsed.success) return { ok: false, reason: firstIssue(parsed.error) };
	const { transport, type, ...rest } = parsed.data;
	const problem = problemOfUrl(rest.url) ?? problemOfHeaders(rest.headers) ?? problemOfCertificate(rest);
	if (problem !== undefined) return { ok: false, reason: problem };
	const said = transport ?? type;
	const kind = said === "sse" ? "sse" : "http";
	const both = written.command === undefined ? [] : ["it has a url and a command: the command is not started"];
	return {
		ok: true,
		settings: { ...rest, kind, isGuessed: said === undefined },
		warnings: [...both, ...unsetVariables(rest)],
	};
}

function hasUrl(written: unknown): written is Readonly<Record<string, unknown>> {
	return typeof written === "object" && written !== null && "url" in written && written.url !== undefined;
}

function firstIssue({ issues: [issue] }: z.ZodError): string {
	return `${issue?.path.join(".") || "the entry"}: ${issue?.message}`;
}

/** Before any try: an address that can never work is not tried again and again. */
function problemOfUrl(text: string): string | undefined {
	const url = URL.parse(text);
	if (url === null || url.hostname === "") return `url: "${text.slice(0, 100)}" is no address`;
	if (url.protocol !== "http:" && url.protocol !== "https:") return `url: it begins with ${url.protocol}, not https:`;
	return undefined;
}

/** The value is never shown: it may be a secret that lost its last line break nowhere on its way here. */
function problemOfHeaders(headers: Readonly<Record<string, string>>): string | undefined {
	for (const [name, value] of Object.entries(headers)) {
		if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return `headers: "${name.slice(0, 100)}" is no name of a header`;
		// Bytes that a header can carry; HTTP itself takes white space away at both ends.
		if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim())) {
			return `headers: the value of ${name} has a line break or another character in it that no header can carry`;
		}
	}
	return undefined;
}

function problemOfCertificate({
	client_cert: certificate,
	client_key: key,
}: Pick<RemoteSettings, "client_cert" | "client_key">) {
	if (Array.isArray(certificate) && key !== undefined) {
		return "client_cert: it names a key already; leave client_key out";
	}
	return key !== undefined && certificate === undefined ? "client_key: there is no client_cert to it" : undefined;
}

/** `${NAME}` that is still there was not replaced: the server would be sent the name instead of the value. */
function unsetVariables({
	env = {},
	headers = {},
	url = "",
}: {
	readonly env?: Readonly<Record<string, string>>;
	readonly headers?: Readonly<Record<string, string>>;
	readonly url?: string;
}): string[] {
	const places = [...Object.entries(env), ...Object.entries(headers), ["url", url] as const];
	return places.flatMap(([place, text]) => {
		const name = /\$\{([^}]+)\}/.exec(text)?.[1];
		return name === undefined
			? []
			: [`${place} names \${${name}}, which is set neither in .env nor in the environment`];
	});
}
