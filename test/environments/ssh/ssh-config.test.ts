/** What ssh_config says about a host, and where a connection therefore goes. */

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Destination, resolveDestination } from "../../../lib/environments/ssh/configuration/destination.ts";
import { readHostConfig } from "../../../lib/environments/ssh/configuration/ssh-config.ts";
import { type SshSettings, settings } from "../../../lib/environments/ssh/settings.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

interface Home extends Disposable {
	readonly path: string;
}

function homeWith(files: Readonly<Record<string, string>>): Home {
	const folder = temporaryFolder();
	mkdirSync(join(folder.path, ".ssh/conf.d"), { recursive: true });
	for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, ".ssh", name), text);
	return folder;
}

function read(home: Home, host: string, user?: string) {
	const file = join(home.path, ".ssh/config");
	return Object.fromEntries(readHostConfig({ host, user, localUser: "me", home: home.path, file }));
}

function resolve(home: Home, host: string, more: Partial<SshSettings> = {}): Destination {
	const ssh_config_file = join(home.path, ".ssh/config");
	return resolveDestination(settings.parse({ ssh_host: host, ssh_config_file, ...more }), {
		HOME: home.path,
		USER: "me",
		SSH_AUTH_SOCK: "/run/agent",
		KEYS: "/keys",
	});
}

const cases: readonly (readonly [name: string, config: string, host: string, wanted: Record<string, string[]>])[] = [
	["takes the first value that fits", "Host b*\nPort 1\nHost box\nPort 2\nUser u", "box", { port: ["1"], user: ["u"] }],
	["leaves out what is for others", "Host a\nPort 1\nHost *\nUser u", "box", { user: ["u"] }],
	["knows ? and negation", "Host b?x !box\nPort 1\nHost b?x\nPort 2", "box", { port: ["2"] }],
	["ignores case in names and keywords", "hOsT BOX\nPORT 7", "box", { port: ["7"] }],
	["reads = and quotes and comments", 'Port = 7 # note\nUser="a b"\n#Port 8', "box", { port: ["7"], user: ["a b"] }],
	["adds identity files up", "IdentityFile a\nHost box\nIdentityFile b", "box", { identityfile: ["a", "b"] }],
	["keeps a ProxyCommand whole", 'ProxyCommand sh -c "a # b"', "box", { proxycommand: ['sh -c "a # b"'] }],
	[
		"reads Match host with its HostName",
		"HostName r.x\nMatch host *.x,y\nPort 3",
		"box",
		{ hostname: ["r.x"], port: ["3"] },
	],
	[
		"reads Match originalhost",
		"HostName r.x\nMatch originalhost box\nPort 3",
		"box",
		{ hostname: ["r.x"], port: ["3"] },
	],
	[
		"reads a negated Match",
		"Match !host other user root\nPort 3\nMatch host box !user root\nPort 4",
		"box",
		{ port: ["4"] },
	],
	["reads Match all", "Host a\nMatch all\nPort 3", "box", { port: ["3"] }],
	["runs no Match exec", 'Match exec "true"\nPort 3', "box", {}],
];
for (const [name, config, host, wanted] of cases) {
	test(`readHostConfig() ${name}`, () => {
		using home = homeWith({ config });
		expect(read(home, host)).toEqual(wanted);
	});
}

test("readHostConfig() reads included files in their place and within their block", () => {
	using home = homeWith({
		config: "Host box\nInclude conf.d/*.conf\nPort 9\nHost other\nInclude conf.d/*.conf",
		"conf.d/a.conf": "User a\nHost box\nHostName h",
		"conf.d/b.conf": "Host elsewhere\nUser b\nHost *\nCompression yes",
	});
	expect(read(home, "box")).toEqual({ user: ["a"], hostname: ["h"], compression: ["yes"], port: ["9"] });
	expect(read(home, "third")).toEqual({});
});

test("readHostConfig() refuses files that include each other without end", () => {
	using home = homeWith({ config: "Include config" });
	expect(() => read(home, "box")).toThrow("too many files include each other");
});

test("resolveDestination() fills names in and lets settings stand above the file", () => {
	using home = homeWith({
		config: [
			"Host box",
			"HostName %h.example.org",
			"User from-file",
			"Port 2200",
			`IdentityFile ~/.ssh/key-%r-%h`,
			`IdentityFile \${KEYS}/%u`,
			"IdentitiesOnly yes",
			"UserKnownHostsFile ~/known /dev/null",
			"StrictHostKeyChecking yes",
			"ServerAliveInterval 5",
			"ServerAliveCountMax 2",
			"ConnectTimeout 4",
			"HashKnownHosts yes",
		].join("\n"),
	});
	const { identities, knownHosts, ...rest } = resolve(home, "box", { ssh_user: "root", ssh_key: "~/own" });
	expect(rest).toEqual({
		host: "box.example.org",
		port: 2200,
		user: "root",
		keyName: "[box.example.org]:2200",
		connectTimeoutMs: 4000,
		keepAlive: { intervalMs: 5000, count: 2 },
		jumps: [],
	});
	expect(identities).toEqual({
		ownKey: join(home.path, "own"),
		files: [join(home.path, ".ssh/key-root-box.example.org"), "/keys/me"],
		areExclusive: true,
		agent: "/run/agent",
	});
	expect(knownHosts).toEqual({
		user: [join(home.path, "known"), "/dev/null"],
		system: ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"],
		isStrict: true,
		hashesNames: true,
	});
});

test("resolveDestination() keeps the defaults of a host that nobody describes", () => {
	using home = homeWith({ config: "" });
	const { host, port, user, keyName, connectTimeoutMs, keepAlive } = resolve(home, "10.0.0.7");
	expect({ host, port, user, keyName, connectTimeoutMs, keepAlive }).toEqual({
		host: "10.0.0.7",
		port: 22,
		user: "me",
		keyName: "10.0.0.7",
		connectTimeoutMs: 15_000,
		keepAlive: { intervalMs: 15_000, count: 3 },
	});
});

test("resolveDestination() lists the hosts of a ProxyJump chain, outermost first", () => {
	using home = homeWith({
		config: [
			"Host box\nProxyJump root@first:2201,second",
			"Host first\nHostName 10.0.0.1\nProxyJump gate",
			"Host second\nPort 2202\nProxyJump ignored",
			"Host gate\nUser keeper",
		].join("\n"),
	});
	const { jumps } = resolve(home, "box");
	expect(jumps.map(({ user, host, port, jumps: inner }) => [`${user}@${host}:${port}`, inner.length])).toEqual([
		["keeper@gate:22", 0],
		["root@10.0.0.1:2201", 0],
		["me@second:2202", 0],
	]);
});

test("resolveDestination() reads IPv6 addresses and URLs of jump hosts", () => {
	using home = homeWith({ config: "Host box\nProxyJump ssh://u@[::1]:2201,[fe80::1],fe80::2" });
	expect(resolve(home, "box").jumps.map(({ user, host, port }) => [user, host, port])).toEqual([
		["u", "::1", 2201],
		["me", "fe80::1", 22],
		["me", "fe80::2", 22],
	]);
});

test("resolveDestination() refuses jump hosts that lead back", () => {
	using home = homeWith({ config: "Host a\nProxyJump b\nHost b\nProxyJump a" });
	expect(() => resolve(home, "a")).toThrow('its ProxyJump leads back to "a"');
});

test("resolveDestination() says which setting runs a ProxyCommand", () => {
	using home = homeWith({ config: "ProxyCommand nc %h %p" });
	expect(() => resolve(home, "box")).toThrow("set terminal.ssh_transport to openssh");
});
