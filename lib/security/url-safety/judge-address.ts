/** Which IP addresses a tool may connect to: the public internet, and on request this machine and its network. */

import { type AddressBytes, embeddedAddresses, isInBlock, parseAddress } from "./ip-address.ts";

/** `metadata` is never allowed: it gives the keys of a cloud machine to whoever asks. */
export type AddressKind = "public" | "private" | "metadata";

/** What an address is, and what the user is told of it. */
export interface AddressVerdict {
	readonly kind: AddressKind;
	readonly what: string;
}

type Block = readonly [block: string, what: string];

const metadata: readonly Block[] = [
	["169.254.0.0/16", "link-local, where clouds keep the keys of a machine"],
	["100.100.100.200/32", "the metadata service of Alibaba Cloud"],
	["192.0.0.192/32", "the metadata service of Oracle Cloud"],
	["168.63.129.16/32", "the platform service of Azure"],
	["fd00:ec2::/32", "the metadata service of AWS"],
	["fd20:ce::254/128", "the metadata service of Google Cloud"],
];

/** IANA's registries of special-purpose addresses, and multicast. */
const special: readonly Block[] = [
	["0.0.0.0/8", "this host"],
	["10.0.0.0/8", "a private network"],
	["100.64.0.0/10", "shared address space of a provider"],
	["127.0.0.0/8", "this machine"],
	["172.16.0.0/12", "a private network"],
	["192.0.0.0/24", "reserved"],
	["192.0.2.0/24", "reserved for documentation"],
	["192.88.99.0/24", "reserved"],
	["192.168.0.0/16", "a private network"],
	["198.18.0.0/15", "reserved for measurements"],
	["198.51.100.0/24", "reserved for documentation"],
	["203.0.113.0/24", "reserved for documentation"],
	["224.0.0.0/4", "multicast"],
	["240.0.0.0/4", "reserved"],
	["::/128", "this host"],
	["::1/128", "this machine"],
	["fc00::/7", "a private network"],
	["fe80::/10", "link-local"],
	["fec0::/10", "site-local"],
	["ff00::/8", "multicast"],
	["64:ff9b:1::/48", "a private network"],
	["2001::/23", "reserved"],
	["2001:db8::/32", "reserved for documentation"],
	["3fff::/20", "reserved for documentation"],
];

/** Everything public is in here; of the rest only what carries a public IPv4 address is reachable at all. */
const globalUnicast = "2000::/3";

/** Judges `address` as a resolver or a parsed URL writes it; what is no address counts as private. */
export function judgeAddress(address: string): AddressVerdict {
	const bytes = parseAddress(address);
	return bytes === undefined ? { kind: "private", what: "no IP address" } : judgeBytes(bytes);
}

function judgeBytes(bytes: AddressBytes): AddressVerdict {
	const key = find(metadata, bytes);
	if (key !== undefined) return { kind: "metadata", what: key };
	const inside = embeddedAddresses(bytes).map(judgeBytes);
	const worst = inside.find(({ kind }) => kind === "metadata");
	if (worst !== undefined) return worst;
	const own = find(special, bytes);
	if (own !== undefined) return { kind: "private", what: own };
	const hidden = inside.find(({ kind }) => kind === "private");
	if (hidden !== undefined) return hidden;
	const isReachable = bytes.length === 4 || inside.length > 0 || isInBlock(bytes, globalUnicast);
	return isReachable ? { kind: "public", what: "public" } : { kind: "private", what: "reserved" };
}

function find(blocks: readonly Block[], bytes: AddressBytes): string | undefined {
	return blocks.find(([block]) => isInBlock(bytes, block))?.[1];
}
