/** IP addresses as bytes, and the IPv4 addresses that IPv6 addresses carry inside. */

import { isIPv4, isIPv6 } from "node:net";

/** Four or sixteen bytes. */
export type AddressBytes = readonly number[];

/** The bytes of an address as a resolver or a parsed URL writes it: brackets and zone are taken off. */
export function parseAddress(text: string): AddressBytes | undefined {
	const bare = text.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
	if (isIPv4(bare)) return bare.split(".").map(Number);
	return isIPv6(bare) ? parseV6(bare) : undefined;
}

function parseV6(text: string): AddressBytes {
	const [head = "", tail] = withoutDots(text).split("::");
	const front = groupsOf(head);
	const back = groupsOf(tail ?? "");
	const middle = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => 0);
	return [...front, ...middle, ...back].flatMap((group) => [group >> 8, group & 0xff]);
}

/** `::ffff:127.0.0.1` ends in a dotted address: two groups. */
function withoutDots(text: string): string {
	return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
		const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
		return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
	});
}

function groupsOf(text: string): number[] {
	return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

/** Whether `bytes` lie in a block such as `10.0.0.0/8` or `fe80::/10`; an address of the other family never does. */
export function isInBlock(bytes: AddressBytes, block: string): boolean {
	const [start = "", length = ""] = block.split("/");
	const base = parseAddress(start);
	if (base === undefined || base.length !== bytes.length) return false;
	return base.every((byte, index) => {
		const bits = Math.max(0, Math.min(8, Number(length) - index * 8));
		const mask = (0xff << (8 - bits)) & 0xff;
		return ((bytes[index] ?? 0) & mask) === (byte & mask);
	});
}

interface Carrier {
	readonly block: string;
	/** Takes the IPv4 addresses out of one that lies in the block. */
	inside(bytes: AddressBytes): AddressBytes[];
}

const last = (bytes: AddressBytes) => [bytes.slice(12)];

const carriers: readonly Carrier[] = [
	// Mapped and compatible (RFC 4291), translated (RFC 2765).
	{ block: "::ffff:0:0/96", inside: last },
	{ block: "::/96", inside: last },
	{ block: "::ffff:0:0:0/96", inside: last },
	// NAT64 (RFC 6052), and its local form (RFC 8215), where an operator chooses how long the prefix is.
	{ block: "64:ff9b::/96", inside: last },
	{
		block: "64:ff9b:1::/48",
		inside: (bytes) => [
			...last(bytes),
			[...bytes.slice(6, 8), ...bytes.slice(9, 11)],
			[...bytes.slice(7, 8), ...bytes.slice(9, 12)],
			bytes.slice(9, 13),
		],
	},
	// 6to4 (RFC 3056).
	{ block: "2002::/16", inside: (bytes) => [bytes.slice(2, 6)] },
	// Teredo (RFC 4380): the server, and the client with its bits turned round.
	{ block: "2001::/32", inside: (bytes) => [bytes.slice(4, 8), bytes.slice(12).map((byte) => byte ^ 0xff)] },
];

/** The IPv4 addresses that packets to `bytes` may end up at. */
export function embeddedAddresses(bytes: AddressBytes): AddressBytes[] {
	if (bytes.length !== 16) return [];
	const carried = carriers.filter(({ block }) => isInBlock(bytes, block)).flatMap(({ inside }) => inside(bytes));
	// ISATAP (RFC 5214) may stand behind any prefix.
	const isIsatap = isInBlock(bytes.slice(8, 12), "0.0.94.254/32") || isInBlock(bytes.slice(8, 12), "2.0.94.254/32");
	return isIsatap ? [...carried, ...last(bytes)] : carried;
}
