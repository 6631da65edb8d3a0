import { describe, expect, test } from "bun:test";
import { guardUrl, type UrlRules } from "../../../lib/security/url-safety/url-guard.ts";
import { parseWebAddress } from "../../../lib/security/url-safety/web-address.ts";

const { signal } = new AbortController();
const publicOnly: UrlRules = { allowPrivate: false, blockedSites: [] };

/** The whole way that an address goes. */
async function judge(address: string, rules: UrlRules = publicOnly): Promise<string> {
	const parsed = parseWebAddress(address);
	if (!parsed.ok) return `no address: ${parsed.reason}`;
	const verdict = await guardUrl(parsed.url, rules, signal);
	return verdict.ok ? `allowed: ${verdict.addresses.join(", ")}` : verdict.reason;
}

function resolvingTo(...addresses: string[]): UrlRules & { readonly asked: string[] } {
	const asked: string[] = [];
	return {
		...publicOnly,
		asked,
		resolve: async (host) => {
			asked.push(host);
			return addresses;
		},
	};
}

describe("guardUrl() refuses this machine however it is written:", () => {
	test.each([
		...["http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.0x0.0x0.0x1/"],
		...[
			"http://0177.0.0.1/",
			"http://017700000001/",
			"http://127.0.0.1./",
			"http://１２７.0.0.1/",
			"http://127。0。0。1/",
		],
		...["http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[0:0:0:0:0:0:0:1]/"],
		...["http://localhost/", "http://LOCALHOST./", "http://ⓛocalhost/", "http:127.0.0.1", "http:///127.0.0.1"],
		...["https:\\\\127.0.0.1\\", "ht\ntp://127.0.0.1", "http://0/", "http://[::]/", "http://[64:ff9b::7f00:1]/"],
		...["http://%31%32%37.0.0.1/", "http://127.0.0.1:80/", " http://127.0.0.1/ "],
	])("%j", async (address) => {
		expect(await judge(address)).toMatch(/ is (?:this machine|this host)/);
	});
});

describe("guardUrl()", () => {
	test.each([
		"http://good.example@127.0.0.1/",
		"http://user:secret@good.example/",
		"http://1.1.1.1:80@127.0.0.1/",
		"http://good.example%40@127.0.0.1/",
		"file:///etc/passwd",
		"gopher://127.0.0.1/",
		"data:text/html,x",
		"javascript:alert(1)",
		"http://[fe80::1%25eth0]/",
		"http://127.0.0.1%00.good.example/",
		"//127.0.0.1/",
		"http://",
		`http://good.example/${"a".repeat(9_000)}`,
	])("is never asked about %j", async (address) => {
		expect(await judge(address)).toStartWith("no address: ");
	});

	test("takes the host of a browser where others would take another", async () => {
		expect(await judge("http://8.8.8.8\\@127.0.0.1/")).toBe("allowed: 8.8.8.8");
		expect(await judge("http://8.8.8.8#@127.0.0.1/")).toBe("allowed: 8.8.8.8");
		expect(await judge("http://8.8.8.8?@127.0.0.1/")).toBe("allowed: 8.8.8.8");
	});

	test("resolves a name once and gives the addresses that were judged", async () => {
		const rules = resolvingTo("1.1.1.1", "2606:4700::1");
		expect(await judge("https://Bücher.example./x", rules)).toBe("allowed: 1.1.1.1, 2606:4700::1");
		expect(rules.asked).toEqual(["xn--bcher-kva.example"]);
	});

	test("refuses a name with one private address among public ones", async () => {
		expect(await judge("https://mixed.example/", resolvingTo("1.1.1.1", "10.0.0.7"))).toStartWith(
			"10.0.0.7 is a private",
		);
		expect(await judge("https://mixed.example/", resolvingTo("1.1.1.1", "::ffff:10.0.0.7"))).toContain(
			"a private network",
		);
	});

	test("refuses names that do not resolve, or to nothing", async () => {
		const failing: UrlRules = { ...publicOnly, resolve: () => Promise.reject(new Error("NXDOMAIN")) };
		expect(await judge("https://nowhere.example/", failing)).toBe("its name cannot be resolved");
		expect(await judge("https://empty.example/", resolvingTo())).toBe("its name has no address");
	});

	test("lets private addresses through when the user says so, metadata services never", async () => {
		const open = { ...resolvingTo("169.254.169.254"), allowPrivate: true };
		expect(await judge("http://127.0.0.1:8080/", open)).toBe("allowed: 127.0.0.1");
		expect(await judge("http://[::1]/", open)).toBe("allowed: ::1");
		for (const address of [
			...["http://169.254.169.254/latest/meta-data/", "http://[::ffff:169.254.169.254]/", "http://2852039166/"],
			...[
				"http://[64:ff9b::a9fe:a9fe]/",
				"http://[2002:a9fe:a9fe::]/",
				"http://[fd00:ec2::254]/",
				"http://100.100.100.200/",
			],
			...["http://metadata.google.internal/", "http://METADATA.goog./", "http://innocent.example/"],
		]) {
			expect({ address, said: await judge(address, open) }).toEqual({ address, said: expect.stringMatching(/ is /) });
		}
	});

	test("lets only QQ's media host resolve to a placeholder, and only by https", async () => {
		const rules = resolvingTo("198.18.0.7");
		expect(await judge("https://multimedia.nt.qq.com.cn/a.jpg", rules)).toBe("allowed: 198.18.0.7");
		expect(await judge("http://multimedia.nt.qq.com.cn/a.jpg", rules)).toContain("reserved for measurements");
		expect(await judge("https://x.multimedia.nt.qq.com.cn/", rules)).toContain("reserved for measurements");
		expect(await judge("https://multimedia.nt.qq.com.cn/", resolvingTo("169.254.169.254"))).toContain("link-local");
	});

	test("gives up waiting for the resolver when it is interrupted", async () => {
		const controller = new AbortController();
		const url = new URL("https://slow.example/");
		const waiting = guardUrl(url, { ...publicOnly, resolve: () => new Promise(() => {}) }, controller.signal);
		controller.abort();
		expect(await waiting).toEqual({ ok: false, reason: "its name cannot be resolved", byPolicy: false });
	});

	test("refuses blocked websites and what lies below them, without resolving", async () => {
		const rules = { ...resolvingTo("1.1.1.1"), blockedSites: ["bad.example", "*.only-below.example"] };
		const verdicts = await Promise.all(
			[
				"bad.example",
				"www.bad.example",
				"a.b.BAD.example.",
				"notbad.example",
				"x.only-below.example",
				"only-below.example",
			].map((host) => judge(`https://${host}/`, rules)),
		);
		const blocked = "the website is on the list of blocked ones";
		expect(verdicts).toEqual([blocked, blocked, blocked, "allowed: 1.1.1.1", blocked, "allowed: 1.1.1.1"]);
	});
});
