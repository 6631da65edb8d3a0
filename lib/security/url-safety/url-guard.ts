/** The guard against requests that strangers' links send into one's own network (SSRF). */

import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { attemptAsync } from "../../base/attempt.ts";
import { parseAddress } from "./ip-address.ts";
import { type AddressVerdict, judgeAddress } from "./judge-address.ts";
import { isBlockedSite } from "./website-blocklist.ts";

/** Finds the addresses of a name. */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/** What is allowed besides the public internet, and what is not. */
export interface UrlRules {
	/** This machine and its network may be reached; metadata services never. */
	readonly allowPrivate: boolean;
	/** Domains that are refused, as `readBlocklist` gives them. */
	readonly blockedSites: readonly string[];
	/** The system's resolver when left out. */
	readonly resolve?: ResolveHost;
}

/** The addresses that were checked, in the resolver's order: connect to one of these and to no other. */
export type GuardVerdict =
	| { readonly ok: true; readonly addresses: readonly string[]; readonly isPrivate: boolean }
	| { readonly ok: false; readonly reason: string; readonly byPolicy: boolean };

const metadataHosts = new Set(["metadata.google.internal", "metadata.goog", "metadata", "instance-data"]);

/** QQ's media hosts resolve to 198.18/15 behind the proxies that are common where it is used. */
const hostsWithPlaceholders = new Set(["https://multimedia.nt.qq.com.cn"]);

const resolverLimitMs = 10_000;

/**
 * Resolves the host once and judges every address of it. To be asked anew for each redirect. A name that cannot be resolved
 * is refused. `signal` ends the wait.
 */
export async function guardUrl(url: URL, rules: UrlRules, signal: AbortSignal): Promise<GuardVerdict> {
	const host = url.hostname.replace(/\.+$/, "");
	if (isBlockedSite(host, rules.blockedSites)) return blocked("the website is on the list of blocked ones", true);
	if (metadataHosts.has(host)) return blocked("it is the metadata service of a cloud");
	const literal = host.replace(/^\[|\]$/g, "");
	const found = isIP(literal) > 0 ? { ok: true as const, value: [literal] } : await resolveHost(host, rules, signal);
	if (!found.ok) return blocked(found.reason);
	return judgeAll(url, found.value, rules);
}

function judgeAll(url: URL, addresses: readonly string[], { allowPrivate }: UrlRules): GuardVerdict {
	const verdicts = addresses.map((address) => ({ address, ...judgeHere(address) }));
	const worst =
		verdicts.find(({ kind }) => kind === "metadata") ?? verdicts.find(({ kind }) => kind === "private") ?? verdicts[0];
	if (worst === undefined) return blocked("its name has no address");
	const isPlaceholder = hostsWithPlaceholders.has(url.origin);
	const isAllowed = worst.kind === "public" || (worst.kind === "private" && (allowPrivate || isPlaceholder));
	if (isAllowed) return { ok: true, addresses, isPrivate: worst.kind === "private" };
	// Not how to allow it: that is between the user and the settings.
	return blocked(`${worst.address} is ${worst.what}`);
}

/** A public address of this machine leads past every firewall to what listens on it. */
function judgeHere(address: string): AddressVerdict {
	const verdict = judgeAddress(address);
	if (verdict.kind !== "public") return verdict;
	const bytes = String(parseAddress(address));
	const own = Object.values(networkInterfaces()).flatMap((cards) => cards ?? []);
	const isOwn = own.some((card) => String(parseAddress(card.address)) === bytes);
	return isOwn ? { kind: "private", what: "this machine" } : verdict;
}

async function resolveHost(host: string, rules: UrlRules, signal: AbortSignal) {
	const { resolve = systemResolve } = rules;
	const limited = AbortSignal.any([signal, AbortSignal.timeout(resolverLimitMs)]);
	const found = await attemptAsync(() => untilAborted(resolve(host, limited), limited));
	return found.ok ? found : { ok: false as const, reason: `its name cannot be resolved` };
}

const systemResolve: ResolveHost = async (host) => {
	const found = await lookup(host, { all: true, verbatim: true });
	return found.map(({ address }) => address);
};

/** The system's resolver cannot be interrupted; its answer is then for nobody. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
	const { promise: aborted, reject } = Promise.withResolvers<never>();
	const onAbort = () => reject(signal.reason);
	if (signal.aborted) onAbort();
	signal.addEventListener("abort", onAbort, { once: true });
	return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", onAbort));
}

function blocked(reason: string, byPolicy = false): GuardVerdict {
	return { ok: false, reason, byPolicy };
}
