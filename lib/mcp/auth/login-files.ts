/** What is kept of a login at one server: three files in HERMES_HOME that nobody else can read. */

import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { z } from "zod";
import { writeFileAtomically } from "../../base/atomic-write.ts";
import { attempt } from "../../base/attempt.ts";
import { type FileLock, takeFileLock } from "../../base/file-lock.ts";

const tokenShape = z.looseObject({
	access_token: z.string().min(1),
	token_type: z.string().default("Bearer"),
	refresh_token: z.string().optional(),
	scope: z.string().optional(),
	/** Seconds that the token was good for when it was given. */
	expires_in: z.coerce.number().optional(),
	/** Seconds since 1970. */
	expires_at: z.number().optional(),
	issuer: z.string().optional(),
	server_url: z.string().optional(),
});
const clientShape = z.looseObject({
	client_id: z.string().min(1),
	client_secret: z.string().optional(),
	issuer: z.string().optional(),
	redirect_uris: z.array(z.string()).optional(),
	server_url: z.string().optional(),
});
const discoveryShape = z.looseObject({ authorizationServerUrl: z.string(), server_url: z.string().optional() });

/** Characters of a file's name without what it ends in. */
const longestName = 128;

/** A token with the time at which it ends. */
export type KeptTokens = z.output<typeof tokenShape>;

/** A client as a service knows it. */
export type KeptClient = z.output<typeof clientShape>;

/** Every read sees what another process wrote last. What belongs to another address than the server's counts as missing. */
export interface LoginFiles {
	tokens(): KeptTokens | undefined;
	client(): KeptClient | undefined;
	discovery(): OAuthDiscoveryState | undefined;
	saveTokens(tokens: OAuthTokens): void;
	saveClient(client: OAuthClientInformationMixed): void;
	saveDiscovery(state: OAuthDiscoveryState): void;
	/** Removes files; true when there was a token. */
	forget(what: "tokens" | "everything"): boolean;
	/** Keeps other processes from renewing at the same time: a token that renews is good for one time only. */
	lock(signal: AbortSignal): Promise<FileLock>;
}

/** Where the files of the server are; nothing is created before something is written. */
export function loginFiles(home: string, server: { readonly name: string; readonly url: string }): LoginFiles {
	const folder = join(home, "mcp-tokens");
	const base = join(folder, safeName(server.name));
	const [tokenPath, clientPath, discoveryPath] = [`${base}.json`, `${base}.client.json`, `${base}.meta.json`];
	const isOurs = (kept: { readonly server_url?: string | undefined }) => (kept.server_url ?? server.url) === server.url;
	const read = <T extends { readonly server_url?: string | undefined }>(path: string, shape: z.ZodType<T>) => {
		const parsed = shape.safeParse(readJson(path));
		return parsed.success && isOurs(parsed.data) ? parsed.data : undefined;
	};
	const write = (path: string, content: object) => {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		const text = JSON.stringify({ ...content, server_url: server.url }, null, 2);
		writeFileAtomically(path, `${text}\n`, { newMode: 0o600, keptBits: 0o600 });
	};
	return {
		tokens() {
			const kept = read(tokenPath, tokenShape);
			return kept && { ...kept, ...(kept.expires_at === undefined && endOf(tokenPath, kept)) };
		},
		client: () => read(clientPath, clientShape),
		discovery: () => read(discoveryPath, discoveryShape),
		saveTokens(tokens) {
			const ends = tokens.expires_in === undefined ? {} : { expires_at: Date.now() / 1_000 + tokens.expires_in };
			write(tokenPath, { ...tokens, ...ends });
		},
		saveClient: (client) => write(clientPath, client),
		saveDiscovery: (state) => write(discoveryPath, state),
		forget(what) {
			const had = statSync(tokenPath, { throwIfNoEntry: false }) !== undefined;
			const paths = what === "tokens" ? [tokenPath] : [tokenPath, clientPath, discoveryPath];
			for (const path of paths) rmSync(path, { force: true });
			return had;
		},
		lock(signal) {
			mkdirSync(folder, { recursive: true, mode: 0o700 });
			return takeFileLock(`${base}.lock`, signal);
		},
	};
}

/** Files of earlier versions say how long a token lasts, not until when: it began when the file was written. */
function endOf(path: string, { expires_in: seconds }: KeptTokens): { readonly expires_at?: number } {
	const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
	return seconds === undefined || written === undefined ? {} : { expires_at: written / 1_000 + seconds };
}

/**
 * Never the same for two names, so that no server finds the login of another one: a name that had to be changed ends in a hash,
 * behind a character that no other name has.
 */
function safeName(name: string): string {
	const plain = name.replace(/[^\w-]/g, "_").replace(/^_+|_+$/g, "");
	if (plain === name && name !== "" && name.length <= longestName) return name;
	const hash = new Bun.CryptoHasher("sha256").update(name).digest("hex").slice(0, 16);
	return `${plain.slice(0, longestName - hash.length - 1)}~${hash}`;
}

function readJson(path: string): unknown {
	const read = attempt((): unknown => JSON.parse(readFileSync(path, "utf8")));
	return read.ok ? read.value : undefined;
}
