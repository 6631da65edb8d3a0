/** hermes profile: profiles are made, chosen and removed, and none is ever taken for another. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInProcess } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** A user's home, and hermes run in it. */
function scene() {
	const folder = temporaryFolder();
	const home = folder.path;
	const hermes = (words: string, variables: Record<string, string> = {}) =>
		runInProcess(words.split(" "), home, variables);
	const model = async (words = "", variables: Record<string, string> = {}) =>
		(await hermes(`${words} config get model.default`.trim(), variables)).stdout.trim();
	return { home, root: join(home, ".hermes"), hermes, model, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test("--profile works in the profile's own folder, before and after the subcommand", async () => {
	using at = scene();
	await at.hermes("config set model.default base");
	expect((await at.hermes("profile create work")).exitCode).toBe(0);
	await at.hermes("-p work config set model.default own");
	expect(await at.model()).toBe("base");
	expect(await at.model("--profile work")).toBe("own");
	expect((await at.hermes("config get model.default -p work")).stdout.trim()).toBe("own");
	expect(statSync(join(at.root, "profiles/work")).mode & 0o777).toBe(0o700);
});

test("the flag beats HERMES_HOME in a profile, that beats HERMES_PROFILE, and that beats hermes profile use", async () => {
	using at = scene();
	for (const name of ["a", "b", "c", "d"]) {
		await at.hermes(`profile create ${name}`);
		await at.hermes(`-p ${name} config set model.default of-${name}`);
	}
	await at.hermes("profile use a");
	const inC = { HERMES_HOME: join(at.root, "profiles/c") };
	expect(await at.model()).toBe("of-a");
	expect(await at.model("", { HERMES_PROFILE: "b" })).toBe("of-b");
	expect(await at.model("", { HERMES_PROFILE: "b", ...inC })).toBe("of-c");
	expect(await at.model("-p d", { HERMES_PROFILE: "b", ...inC })).toBe("of-d");
	expect(await at.model("-p default")).toBe("");
});

test("a command that runs in a profile sees the profile's folder, so that a hermes it starts is in the same one", async () => {
	using at = scene();
	await at.hermes("profile create work");
	await at.hermes("profile use work");
	const shown = async (words: string) =>
		(await at.hermes(`${words} exec -- printenv HERMES_HOME HERMES_PROFILE`)).stdout;
	expect(await shown("-p work")).toBe(`${join(at.root, "profiles/work")}\n`);
	expect(await shown("-p default")).toBe(`${at.root}\ndefault\n`);
});

test("a profile that is not there is an error that names those there are, and nothing runs in another", async () => {
	using at = scene();
	await at.hermes("profile create work");
	const answer = await at.hermes("-p wrok config set model.default lost");
	expect(answer).toEqual({
		stdout: "",
		stderr: 'hermes: Cannot use profile "wrok" (--profile): there is default, work; did you mean "work"?\n',
		exitCode: 1,
	});
	expect(await at.model()).toBe("");
	writeFileSync(join(at.root, "active_profile"), "gone\n");
	expect((await at.hermes("config get model.default")).stderr).toContain(
		'Cannot use profile "gone" (hermes profile use)',
	);
	expect((await at.hermes("profile use default")).exitCode).toBe(0);
	expect((await at.hermes("config get model.default")).exitCode).toBe(0);
	expect((await at.hermes("-p ../x config get model.default")).exitCode).toBe(1);
});

test.each([
	["Work", "lower-case"],
	["default", "reserved"],
	["sessions", "a subcommand has this name"],
	["a/b", "lower-case"],
])("profile create %s is refused", async (name, reason) => {
	using at = scene();
	const answer = await at.hermes(`profile create ${name}`);
	expect(answer.stderr).toContain(reason);
	expect(answer.exitCode).toBe(2);
	expect(existsSync(join(at.root, "profiles"))).toBe(false);
});

test("--clone takes settings, keys and notes along; --clone-all everything but history and sign-ins", async () => {
	using at = scene();
	await at.hermes("config set model.default base");
	mkdirSync(join(at.root, "memories"));
	for (const name of [".env", "auth.json", "memories/USER.md", "approvals.json", "state.db", ".sync.lock"]) {
		writeFileSync(join(at.root, name), `A=${name}`, { mode: 0o600 });
	}
	const has = (profile: string, name: string) => existsSync(join(at.root, "profiles", profile, name));
	await at.hermes("profile create some --clone");
	await at.hermes("profile create all --clone-all");
	for (const name of ["config.yaml", ".env", "memories/USER.md"]) {
		expect([has("some", name), has("all", name)]).toEqual([true, true]);
	}
	expect([has("some", "approvals.json"), has("all", "approvals.json")]).toEqual([false, true]);
	for (const name of ["auth.json", "state.db", ".sync.lock", "profiles"]) {
		expect([has("some", name), has("all", name)]).toEqual([false, false]);
	}
	expect(statSync(join(at.root, "profiles/some/.env")).mode & 0o777).toBe(0o600);
});

test("rename keeps what is in it and moves alias and choice along; delete takes them away", async () => {
	using at = scene();
	await at.hermes("profile create work --alias");
	await at.hermes("-p work config set model.default own");
	await at.hermes("profile use work");
	await at.hermes("profile rename work job");
	expect(await at.model()).toBe("own");
	const alias = (name: string) => join(at.home, ".local/bin", name);
	expect(readFileSync(alias("job"), "utf8")).toContain('--profile job "$@"');
	expect(existsSync(alias("work"))).toBe(false);
	expect((await at.hermes("profile delete job --yes")).stderr).toContain("from within");
	expect((await at.hermes("-p default profile delete job")).stderr).toContain("say --yes");
	expect((await at.hermes("-p default profile delete job --yes")).exitCode).toBe(0);
	expect([existsSync(alias("job")), existsSync(join(at.root, "active_profile"))]).toEqual([false, false]);
	expect((await at.hermes("profile list --json")).stdout).not.toContain("job");
});

test("an alias never takes the place of another program", async () => {
	using at = scene();
	await at.hermes("profile create work");
	mkdirSync(join(at.home, ".local/bin"), { recursive: true });
	writeFileSync(join(at.home, ".local/bin/work"), "#!/bin/sh\necho mine\n");
	expect((await at.hermes("profile alias work")).stderr).toContain("another program has this name");
	expect((await at.hermes("profile alias work --remove")).exitCode).toBe(1);
	expect(readFileSync(join(at.home, ".local/bin/work"), "utf8")).toContain("mine");
});

test("a profile whose sessions are open is neither renamed nor deleted", async () => {
	using at = scene();
	await at.hermes("profile create work");
	const { openStore } = await import("../../lib/store/database.ts");
	using store = openStore(join(at.root, "profiles", "work", "state.db"));
	store.createSession({ id: "s", source: "cli" });
	// Locks of the own process are listed too, which is what the check looks at (Linux).
	const answer = await at.hermes("profile delete work --yes");
	if (process.platform === "linux") expect(answer.stderr).toContain("a hermes is at work in it");
	expect(existsSync(join(at.root, "profiles/work"))).toBe(process.platform === "linux");
});

test("a link that leads out of the profile is copied as a link", async () => {
	using at = scene();
	mkdirSync(join(at.root, "skills"), { recursive: true });
	symlinkSync("/etc/hostname", join(at.root, "skills/out"));
	await at.hermes("profile create work --clone");
	const { lstatSync } = await import("node:fs");
	expect(lstatSync(join(at.root, "profiles", "work", "skills", "out")).isSymbolicLink()).toBe(true);
});
