/** The managed gateways of services, one per vendor (`modal-gateway`): where it is, and the token that opens it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { loadEnvFile } from "./files.ts";

/** What the user's settings are read from. */
export interface GatewaySource {
	/** The environment of this process; `.env` in `home` fills in what it does not have. */
	readonly variables: Readonly<Record<string, string>>;
	/** HERMES_HOME. */
	readonly home: string;
}

/** A token, and where it came from. */
export interface GatewayToken {
	readonly value: string;
	/** The variable or file, for messages about it. */
	readonly source: string;
	/** When it ends by its own account, in milliseconds of the clock; undefined when nobody said. */
	readonly expiresAtMs: number | undefined;
}

/** Asks for a new token and stores it where the old one was found. */
export type RefreshToken = (expiring: GatewayToken) => Promise<void>;

/** One vendor's gateway. */
export interface ToolGateway {
	readonly vendor: string;
	/** Without a slash at the end. */
	readonly url: string;
	/**
	 * The token as it is stored now, or one sentence about what is missing. Read anew each time, since another process may have
	 * logged in meanwhile; nobody is asked for a new one, so it is fit for asking whether the gateway can be used.
	 */
	peekToken(): GatewayToken | string;
}

const usualDomain = "nousresearch.com";

/** A token that ends sooner than this is exchanged first. */
const refreshBeforeMs = 120_000;

const logins = z.object({
	providers: z.object({
		nous: z.object({
			access_token: z.string().min(1),
			expires_at: z.union([z.string(), z.number()]).optional(),
		}),
	}),
});

/**
 * The gateway of `vendor`, or one sentence about a setting that cannot be used. `<VENDOR>_GATEWAY_URL` names it;
 * TOOL_GATEWAY_SCHEME and TOOL_GATEWAY_DOMAIN name all of them.
 */
export function findGateway(vendor: string, source: GatewaySource): ToolGateway | string {
	const variables = { ...loadEnvFile(source.home).variables, ...source.variables };
	const ownName = `${vendor.toUpperCase().replaceAll("-", "_")}_GATEWAY_URL`;
	const own = variables[ownName]?.trim();
	const scheme = variables.TOOL_GATEWAY_SCHEME?.trim() || "https";
	const domain = variables.TOOL_GATEWAY_DOMAIN?.trim() || usualDomain;
	const text = own || `${scheme}://${vendor}-gateway.${domain}`;
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "";
	if (!isUsable) {
		const name = own ? ownName : "TOOL_GATEWAY_SCHEME or TOOL_GATEWAY_DOMAIN";
		return `the address of the ${vendor} gateway cannot be used (${name}): it has to be like https://${vendor}-gateway.${usualDomain}`;
	}
	return { vendor, url: text.replace(/\/+$/, ""), peekToken: () => storedToken(vendor, source) };
}

/**
 * The token to send. One that is about to end is exchanged first where somebody can do that. Whether it has ended is for the
 * gateway to say: the clock of this machine may be wrong.
 */
export async function currentToken(gateway: ToolGateway, refresh?: RefreshToken): Promise<GatewayToken | string> {
	const token = gateway.peekToken();
	if (typeof token === "string" || refresh === undefined || token.expiresAtMs === undefined) return token;
	if (token.expiresAtMs - Date.now() > refreshBeforeMs) return token;
	await refresh(token);
	return gateway.peekToken();
}

function storedToken(vendor: string, { variables, home }: GatewaySource): GatewayToken | string {
	const name = "TOOL_GATEWAY_USER_TOKEN";
	const given = variables[name]?.trim() || loadEnvFile(home).variables[name]?.trim();
	if (given) return { value: given, source: name, expiresAtMs: undefined };
	const file = join(home, "auth.json");
	const missing = `there is no token for the ${vendor} gateway: set ${name}, or log in to Nous, which writes ${file}`;
	let text: string;
	try {
		text = readFileSync(file, "utf8");
	} catch {
		return missing;
	}
	const login = readLogin(text);
	if (login === undefined) return `${missing} (the file has no login of Nous in it now)`;
	return { value: login.access_token, source: file, expiresAtMs: timeOf(login.expires_at) };
}

/** Undefined for whatever is no such file; its text holds secrets, so that no parser's words are passed on. */
function readLogin(text: string) {
	try {
		return logins.parse(JSON.parse(text)).providers.nous;
	} catch {
		return undefined;
	}
}

/** Seconds since 1970, or a date in text. */
function timeOf(written: string | number | undefined): number | undefined {
	const ms = typeof written === "number" ? written * 1000 : Date.parse(written ?? "");
	return Number.isNaN(ms) ? undefined : ms;
}
