/** hermes doctor: what it sees, what it advises, what it repairs. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { breakableBackend } from "../support/breakable-backend.ts";
import { machineWithPolicy, policyOwner } from "../support/policy-file.ts";
import { runInScene, type Scene } from "../support/scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

interface Row {
	readonly section: string;
	readonly name: string;
	readonly status: string;
	readonly detail: string;
	readonly remedy?: string;
	readonly fixable: boolean;
}

/** Nobody's machine: no policy whatever this one has. */
const noPolicy = { path: "/nowhere/policy.yaml", owner: policyOwner };

async function examine(scene: Scene, ...flags: string[]) {
	const { stdout, stderr, exitCode } = await runInScene(["doctor", "--json", ...flags], { policy: noPolicy, ...scene });
	const { findings } = JSON.parse(stdout) as { findings: Row[] };
	const find = (section: string, name: string) => findings.find((row) => row.section === section && row.name === name);
	return { findings, find, stdout, stderr, exitCode };
}

function homeWith(config: string, env = "") {
	const folder = temporaryFolder();
	mkdirSync(join(folder.path, ".hermes"), { mode: 0o700 });
	writeFileSync(join(folder.path, ".hermes/config.yaml"), config, { mode: 0o600 });
	writeFileSync(join(folder.path, ".hermes/.env"), env, { mode: 0o600 });
	return folder;
}

describe("hermes doctor", () => {
	test("finds nothing broken in a new home, and makes nothing there", async () => {
		using home = temporaryFolder();
		const { findings, find, exitCode } = await examine({ home: home.path });
		expect(exitCode).toBe(0);
		expect(findings.filter(({ status }) => status === "failed")).toEqual([]);
		expect([...new Set(findings.map(({ section }) => section))]).toEqual([
			...["runtime", "home", "config", "keys", "backends", "tools", "programs"],
		]);
		expect(find("home", "HERMES_HOME")).toMatchObject({ status: "off", fixable: true });
		expect(find("config", "policy")).toMatchObject({ status: "off", detail: "there is none (/nowhere/policy.yaml)" });
		expect(find("backends", "local")?.detail).toStartWith("is used");
		expect(find("backends", "ssh")).toMatchObject({ status: "off", detail: expect.stringContaining("ssh_host") });
		expect(find("runtime", "version")?.detail).toContain(`hermes 1.2.3, Bun ${Bun.version}`);
		expect(existsSync(join(home.path, ".hermes"))).toBeFalse();
	});

	test("shows the same to a person, with a sign and what to do on each line", async () => {
		using home = homeWith("terminal: {bakend: local}\n");
		const { stdout, exitCode } = await runInScene(["doctor"], { home: home.path, policy: noPolicy });
		expect(exitCode).toBe(0);
		expect(stdout).toMatch(/^runtime\n {2}✓ version: hermes 1\.2\.3/);
		expect(stdout).toMatch(
			/ {2}⚠ config\.yaml: .*config\.yaml:1:\d+: unknown key terminal\.bakend; did you mean terminal\.backend\?\n/,
		);
		expect(stdout).toMatch(/ {2}⚠ model: no provider has a key\n {6}→ hermes auth add/);
		expect(stdout).toMatch(/\nNothing is broken, \d to look at\n$/);
	});

	test("says which keys are set and never shows a part of them", async () => {
		using home = homeWith("", "OPENAI_API_KEY=planted-key-0123456789abcdef\n");
		const variables = { GITHUB_TOKEN: "ghp_plantedplantedplantedplanted012345" };
		const { find, stdout } = await examine({ home: home.path, variables });
		expect(find("keys", "OPENAI_API_KEY")).toMatchObject({ status: "ok", detail: "is set (.env)" });
		expect(find("keys", "GITHUB_TOKEN")).toMatchObject({ status: "ok", detail: "is set (environment)" });
		expect(stdout).not.toMatch(/planted|cdef|2345/);
	});

	test("fails on a broken config.yaml, and still says what does not depend on it", async () => {
		using home = homeWith("model:\n  default: [\n");
		const { find, exitCode } = await examine({ home: home.path });
		expect(exitCode).toBe(1);
		expect(find("config", "config.yaml")).toMatchObject({ status: "failed", detail: expect.stringMatching(/line \d/) });
		expect(find("programs", "bash")?.status).toBe("ok");
		expect(find("home", "HERMES_HOME")?.status).toBe("ok");
	});

	test("fails when the backend in use cannot be used, with the reason", async () => {
		using home = homeWith("terminal: {backend: box}\n");
		const box = breakableBackend("box");
		box.breakdown = "the cable is cut";
		const scene = { home: home.path, backends: [box.backend] };
		const broken = await examine(scene);
		expect(broken.exitCode).toBe(1);
		expect(broken.find("backends", "box")).toMatchObject({
			status: "failed",
			detail: "it is broken: the cable is cut",
		});
		box.breakdown = undefined;
		expect((await examine(scene)).find("backends", "box")?.status).toBe("ok");
		using other = homeWith("terminal: {backend: bax}\n");
		const unknown = await examine({ ...scene, home: other.path });
		expect(unknown.find("backends", "bax")).toMatchObject({
			status: "failed",
			detail: "is unknown (config.yaml:1)",
			remedy: expect.stringContaining("local"),
		});
	});

	test("shows the policy, what it forbids, and a backend in it that does not exist", async () => {
		using machine = machineWithPolicy("allowed_backends: [box, boxx]\npin: true\n");
		const { findings, find, exitCode } = await examine({ ...machine, backends: [breakableBackend("box").backend] });
		expect(exitCode).toBe(0);
		expect(findings.filter(({ name }) => name === "policy").map(({ status, detail }) => [status, detail])).toEqual([
			["ok", `${machine.path}: allowed_backends: box, boxx; pin: true`],
			["warning", `${machine.path} allows boxx, which this hermes does not have`],
		]);
		expect(find("backends", "local")).toMatchObject({
			status: "off",
			detail: `Cannot use backend "local": the policy "${machine.path}" allows only box, boxx`,
		});
		expect(find("backends", "box")?.detail).toContain("is used, pinned");
		chmodSync(machine.path, 0o666);
		const unsafe = await examine(machine);
		expect(unsafe.exitCode).toBe(1);
		expect(unsafe.find("config", "policy")?.detail).toContain("others than its owner can write to it");
	});

	test("fails on a state.db of another program and leaves it as it is", async () => {
		using home = homeWith("");
		const path = join(home.path, ".hermes/state.db");
		writeFileSync(path, "not a database at all, but long enough to be looked at");
		const { find, exitCode } = await examine({ home: home.path });
		expect(exitCode).toBe(1);
		expect(find("home", "state.db")).toMatchObject({ status: "failed", detail: expect.stringContaining(path) });
		expect(statSync(path).size).toBe(54);
	});

	test("fails when HERMES_HOME is a file", async () => {
		using home = temporaryFolder();
		writeFileSync(join(home.path, ".hermes"), "");
		const { find, exitCode } = await examine({ home: home.path, variables: {} });
		expect(exitCode).toBe(1);
		expect(find("home", "HERMES_HOME")?.status).toBe("failed");
	});

	test("--fix makes folders and takes rights away from others, and nothing else", async () => {
		using home = homeWith("agent: {max_turns: 7}\n");
		const at = (name: string) => join(home.path, ".hermes", name);
		chmodSync(at(""), 0o755);
		chmodSync(at(".env"), 0o644);
		const before = await examine({ home: home.path });
		expect(before.find("home", ".env")).toMatchObject({ status: "warning", fixable: true });
		expect(statSync(at(".env")).mode & 0o777).toBe(0o644);
		const { findings, stderr, exitCode } = await examine({ home: home.path }, "--fix");
		expect(exitCode).toBe(0);
		expect(stderr).toBe("hermes: repaired HERMES_HOME\nhermes: repaired log folder\nhermes: repaired .env\n");
		expect(findings.filter(({ fixable }) => fixable)).toEqual([]);
		expect(["", "logs", ".env", "config.yaml"].map((name) => statSync(at(name)).mode & 0o777)).toEqual([
			...[0o700, 0o700, 0o600, 0o600],
		]);
		expect((await examine({ home: home.path }, "--fix")).stderr).toBe("");
	});
});
