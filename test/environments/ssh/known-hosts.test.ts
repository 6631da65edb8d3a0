/** Which servers are trusted, and what is remembered of new ones. */

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	checkHostKey,
	fingerprint,
	type KeyOwner,
	knownKeyTypes,
} from "../../../lib/environments/ssh/known-hosts/check-host-key.ts";
import { knownKeysOf } from "../../../lib/environments/ssh/known-hosts/known-hosts.ts";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A key as it goes over the wire; what is in it does not matter here. */
function key(type: string, filling: number): Buffer {
	const length = Buffer.alloc(4);
	length.writeUInt32BE(type.length);
	return Buffer.concat([length, Buffer.from(type), Buffer.alloc(32, filling)]);
}

const one = key("ssh-ed25519", 1);
const two = key("ssh-ed25519", 2);
const rsa = key("ssh-rsa", 3);
const base64 = (bytes: Buffer) => bytes.toString("base64");

type Files = Partial<KeyOwner["knownHosts"]>;

async function check(text: string, [keyName, offered]: readonly [string, Buffer], more: Files = {}) {
	using folder = temporaryFolder();
	const file = join(folder.path, "known_hosts");
	if (text !== "") writeFileSync(file, text);
	const told: string[] = [];
	const owner = { keyName, knownHosts: { user: [file], system: [], isStrict: false, hashesNames: false, ...more } };
	const check = { knownHostsLock: join(folder.path, "lock"), tell: (line: string) => told.push(line) };
	const verdict = await checkHostKey(owner, offered, check);
	const after = existsSync(file) ? readFileSync(file, "utf8") : "";
	return { verdict: "reason" in verdict ? verdict.reason.replaceAll(file, "FILE") : "trusted", after, told };
}

const known: readonly (readonly [name: string, line: string, host: string])[] = [
	["a plain name", `box ssh-ed25519 ${base64(one)}`, "box"],
	["a name among others", `a,box,c ssh-ed25519 ${base64(one)} comment`, "box"],
	["another case", `BOX ssh-ed25519 ${base64(one)}`, "box"],
	["a port", `[box]:2222 ssh-ed25519 ${base64(one)}`, "[box]:2222"],
	["a wildcard", `*.example.org ssh-ed25519 ${base64(one)}`, "box.example.org"],
	["a line after comments", `# box\n\nbox ssh-ed25519 ${base64(one)}`, "box"],
	["a line after others", `box ssh-rsa ${base64(rsa)}\nbox ssh-ed25519 ${base64(one)}`, "box"],
];
test.each(known.map((item) => [...item] as const))(
	"checkHostKey() trusts a key known by %s",
	async (_name, line, host) => {
		expect(await check(`${line}\n`, [host, one])).toEqual({ verdict: "trusted", after: `${line}\n`, told: [] });
	},
);

const foreign: readonly (readonly [name: string, line: string])[] = [
	["a negated name", `!box,b* ssh-ed25519 ${base64(two)}`],
	["another port", `[box]:2222 ssh-ed25519 ${base64(two)}`],
	["a part of the name", `bo ssh-ed25519 ${base64(two)}`],
];
test.each(foreign.map((item) => [...item] as const))(
	"checkHostKey() takes a host as new beside %s",
	async (_name, line) => {
		const { verdict, after } = await check(`${line}\n`, ["box", one]);
		expect({ verdict, after }).toEqual({ verdict: "trusted", after: `${line}\nbox ssh-ed25519 ${base64(one)}\n` });
	},
);

test("checkHostKey() finds the names that ssh-keygen has hashed", async () => {
	using folder = temporaryFolder();
	const file = join(folder.path, "known_hosts");
	writeFileSync(file, `[box]:2222 ssh-ed25519 ${base64(one)}\n`);
	const ran = await runProgram(["ssh-keygen", "-H", "-f", file], { cwd: folder.path, env: { PATH: "/usr/bin:/bin" } });
	const hashed = readFileSync(file, "utf8");
	expect({ code: ran.exitCode, isHashed: hashed.startsWith("|1|") }).toEqual({ code: 0, isHashed: true });
	expect((await check(hashed, ["[box]:2222", one])).verdict).toBe("trusted");
	expect((await check(hashed, ["[box]:2222", two])).verdict).toContain("its key has changed");
	expect((await check(hashed, ["box", two])).after).toContain("box ssh-ed25519");
});

test("checkHostKey() writes a hashed name that ssh-keygen finds", async () => {
	const { after } = await check("", ["box", one], { hashesNames: true });
	using folder = temporaryFolder();
	const file = join(folder.path, "known_hosts");
	writeFileSync(file, after);
	const ran = await runProgram(["ssh-keygen", "-F", "box", "-f", file], { cwd: "/", env: { PATH: "/usr/bin:/bin" } });
	expect({ isHashed: after.startsWith("|1|"), code: ran.exitCode }).toEqual({ isHashed: true, code: 0 });
});

test("checkHostKey() refuses a changed key with both fingerprints", async () => {
	const line = `box ssh-ed25519 ${base64(one)}\n`;
	expect(await check(line, ["box", two])).toEqual({
		verdict: `its key has changed: it shows ssh-ed25519 ${fingerprint(two)}, but FILE:1 has ssh-ed25519 ${fingerprint(one)}; if that is right, remove the old one with: ssh-keygen -R 'box'`,
		after: line,
		told: [],
	});
});

test("checkHostKey() refuses a key of another type than the known one", async () => {
	expect((await check(`box ssh-rsa ${base64(rsa)}\n`, ["box", one])).verdict).toContain(
		`has ssh-rsa ${fingerprint(rsa)}`,
	);
});

test("checkHostKey() refuses a revoked key, also of a host that is known by it", async () => {
	const text = `box ssh-ed25519 ${base64(one)}\n@revoked * ssh-ed25519 ${base64(one)}\n`;
	expect((await check(text, ["box", one])).verdict).toContain("is revoked in FILE:2");
});

test("checkHostKey() says who can check a certificate authority", async () => {
	const { verdict, after } = await check(`@cert-authority *.org ssh-ed25519 ${base64(two)}\n`, ["a.org", one]);
	expect(verdict).toContain("set terminal.ssh_transport to openssh");
	expect(after).not.toContain(base64(one));
});

test("checkHostKey() refuses a new host where ssh_config is strict", async () => {
	expect((await check("", ["box", one], { isStrict: true })).verdict).toContain("StrictHostKeyChecking yes");
});

test("checkHostKey() makes the file for its owner alone, and keeps what other hosts add meanwhile", async () => {
	using folder = temporaryFolder();
	const real = join(folder.path, "real");
	const file = join(folder.path, "deep/known_hosts");
	mkdirSync(join(folder.path, "deep"));
	writeFileSync(real, "", { mode: 0o600 });
	symlinkSync(real, file);
	const told: string[] = [];
	const options = { knownHostsLock: join(folder.path, "lock"), tell: (line: string) => told.push(line) };
	const owner = (keyName: string) => ({
		keyName,
		knownHosts: { user: [file], system: [], isStrict: false, hashesNames: false },
	});
	const names = Array.from({ length: 20 }, (_, index) => `host-${index}`);
	await Promise.all(names.map((name) => checkHostKey(owner(name), one, options)));
	const written = readFileSync(file, "utf8")
		.split("\n")
		.map((line) => line.split(" ")[0] ?? "");
	expect({ names: written.toSorted(), mode: statSync(real).mode & 0o777, lines: told.length }).toEqual({
		names: ["", ...names].toSorted(),
		mode: 0o600,
		lines: 20,
	});
});

test("checkHostKey() goes on when the key cannot be remembered", async () => {
	using folder = temporaryFolder();
	writeFileSync(join(folder.path, "file"), "");
	const { verdict, told } = await check("", ["box", one], { user: [join(folder.path, "file/known_hosts")] });
	expect({ verdict, isTold: told[0]?.startsWith("Cannot remember the key of box") }).toEqual({
		verdict: "trusted",
		isTold: true,
	});
});

test("knownKeyTypes() lists what a server should be asked for", () => {
	using folder = temporaryFolder();
	const file = join(folder.path, "known_hosts");
	writeFileSync(file, `box ssh-rsa ${base64(rsa)}\n@revoked box ssh-ed25519 ${base64(two)}\nother ecdsa x\n`);
	const knownHosts = { user: [file], system: [join(folder.path, "none")], isStrict: false, hashesNames: false };
	expect(knownKeyTypes({ keyName: "box", knownHosts })).toEqual(["ssh-rsa"]);
	expect(knownKeysOf("box", [file]).map(({ marker, place }) => [marker, place])).toEqual([
		[undefined, `${file}:1`],
		["revoked", `${file}:2`],
	]);
});

test.skipIf(process.getuid?.() !== 0)(
	"checkHostKey() leaves a device alone that is named instead of a file",
	async () => {
		using folder = temporaryFolder();
		const device = join(folder.path, "null");
		await runProgram(["mknod", device, "c", "1", "3"], { cwd: "/", env: { PATH: "/usr/bin:/bin" } });
		const { verdict, told } = await check("", ["box", one], { user: [device] });
		expect({ verdict, told, isDevice: statSync(device).isCharacterDevice() }).toEqual({
			verdict: "trusted",
			told: [],
			isDevice: true,
		});
	},
);
