/** Sub-agents while they work, seen and stopped from outside: hermes agents, Ctrl-C, and a process that is killed. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireService, serviceVariable } from "../support/required-service.ts";
import { runHermes, startHermes } from "../support/run-hermes.ts";
import { calls, cassette, handOut, homeWith, processesWith, recordsOf } from "../support/taped-agents.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Several processes each, beside those of other tests.
setDefaultTimeout(60_000);

/** The machine of the test services, as the backend takes it. */
function farMachine() {
	return {
		TERMINAL_SSH_HOST: serviceVariable("HERMES_TEST_SSH_HOST"),
		TERMINAL_SSH_PORT: serviceVariable("HERMES_TEST_SSH_PORT"),
		TERMINAL_SSH_USER: serviceVariable("HERMES_TEST_SSH_USER"),
		TERMINAL_SSH_KEY: serviceVariable("HERMES_TEST_SSH_KEY"),
	};
}

const hasSsh = await requireService("ssh", async () => farMachine());

interface SleeperOptions {
	readonly flags?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
}

/** A question whose child has begun to sleep; disposing of it ends it. */
async function startSleeper({ flags = [], env = {} }: SleeperOptions = {}) {
	// A number that no other process of this machine sleeps.
	const [sleep, server] = [`sleep ${30_000 + Math.random() * 1_000}`, `sleep ${31_000 + Math.random() * 1_000}`];
	const home = homeWith([
		handOut("sleep long", "be quick"),
		{ text: "They work." },
		{ for: "sleep long", ...calls(["write_file", { path: "notes.md", content: "half\n" }]), text: "First the notes." },
		{ for: "sleep long", ...calls(["terminal", { command: server, background: true }]) },
		{ for: "sleep long", ...calls(["terminal", { command: `${sleep}; echo never` }]) },
		{ for: "be quick", text: "I was quick." },
		{ text: "I have heard of it." },
	]);
	const running = startHermes(["chat", "-q", "go", ...cassette, ...flags], { home: home.path, env });
	let early: Awaited<typeof running.ended> | undefined;
	void running.ended.then((ran) => {
		early = ran;
	});
	const isUnderWay = () => {
		const [long, quick] = recordsOf(home).list()[0]?.children ?? [];
		return long?.tool_calls === 3 && quick?.status === "completed";
	};
	while (!isUnderWay() || processesWith(sleep).length === 0) {
		if (early !== undefined) throw new Error(`hermes ended early: ${JSON.stringify(early)}`);
		await Bun.sleep(50);
	}
	return {
		home,
		running,
		/** What its child ran is gone a moment after it was ended, and with `servers` what that left in the background. */
		async untilGone(servers: "servers too" | "but servers") {
			const left = () => [sleep, ...(servers === "servers too" ? [server] : [])].flatMap(processesWith);
			for (let tries = 0; left().length > 0 && tries < 100; tries++) await Bun.sleep(50);
			expect(left()).toEqual([]);
		},
		async [Symbol.asyncDispose]() {
			running.kill("SIGKILL");
			await running.ended;
			home[Symbol.dispose]();
		},
	};
}

describe("sub-agents that work", () => {
	test("are listed, and another hermes cancels them: finished reports stay, files and words of the others too", async () => {
		await using scene = await startSleeper({ flags: ["-Q"] });
		const { home, running } = scene;
		const options = { home: home.path };
		const [listed] = JSON.parse((await runHermes(["agents", "--json"], options)).stdout);
		expect(listed).toMatchObject({
			status: "running",
			children: [
				{ goal: "sleep long", status: "running", partial: "First the notes.", tool_calls: 3 },
				{ goal: "be quick", status: "completed", summary: "I was quick." },
			],
		});
		const id = String(listed.delegation_id);
		expect((await runHermes(["agents"], options)).stdout).toMatch(
			/^deleg_\w+ {2}running .*sleep long .* in terminal\)/s,
		);
		expect(await runHermes(["agents", "cancel", id.slice(0, 10)], options)).toMatchObject({
			exitCode: 0,
			stdout: `${id} cancelled\n`,
		});
		expect(await running.ended).toMatchObject({ exitCode: 0, stdout: "I have heard of it.\n" });
		await scene.untilGone("servers too");
		const { stdout } = await runHermes(["agents", "status", id], options);
		expect(stdout).toContain("said until then: First the notes.");
		expect(stdout).toContain(`files: ${join(home.path, "notes.md")}`);
		expect(stdout).toContain("I was quick.");
		expect(await runHermes(["agents", "cancel", id], options)).toMatchObject({
			exitCode: 1,
			stderr: `hermes: Cannot cancel ${id}: it does not run any more (cancelled)\n`,
		});
	});

	test("end with Ctrl-C, and what was finished stands in the record", async () => {
		await using scene = await startSleeper();
		const { home, running } = scene;
		await running.shows("They work.");
		running.kill("SIGINT");
		expect(await running.ended).toMatchObject({ exitCode: 130 });
		await scene.untilGone("servers too");
		expect(recordsOf(home).list()).toMatchObject([
			{ status: "cancelled", children: [{ partial: "First the notes." }, { summary: "I was quick." }] },
		]);
	});

	test("killed with their parent leave no process and a record, and the session that goes on is told", async () => {
		await using scene = await startSleeper();
		const { home, running } = scene;
		const options = { home: home.path };
		running.kill("SIGKILL");
		await running.ended;
		await scene.untilGone("but servers");
		const [record] = recordsOf(home).list();
		expect(record).toMatchObject({
			status: "lost",
			children: [
				{
					status: "lost",
					partial: "First the notes.",
					files_written: [join(home.path, "notes.md")],
					error: expect.stringContaining("hermes died"),
				},
				{ status: "completed", summary: "I was quick." },
			],
		});
		expect((await runHermes(["agents"], options)).stdout).toMatch(/^deleg_\w+ {2}lost /);
		const again = [{ text: "Hello again." }, { text: "So it is lost." }];
		writeFileSync(join(home.path, "tape"), again.map((turn) => JSON.stringify(turn)).join("\n"));
		const resumed = ["chat", "-q", "hello", "--resume", record?.conversation_id ?? ""];
		const ran = await runHermes([...resumed, ...cassette], options);
		expect(ran.stdout).toBe("Hello again.\nSo it is lost.\n");
		expect(recordsOf(home).list()).toMatchObject([{ status: "lost", told: true }]);
		// Nobody would ever look after what the child has left in the background.
		await scene.untilGone("servers too");
		expect((await runHermes(["ps"], options)).stdout).toBe("Nothing runs in the background\n");
	});
});

test.skipIf(!hasSsh)("on another machine nothing is left of them either when hermes is killed", async () => {
	await using scene = await startSleeper({
		flags: ["--backend", "ssh"],
		env: { ...farMachine(), TERMINAL_CWD: "/tmp" },
	});
	scene.running.kill("SIGKILL");
	await scene.running.ended;
	await scene.untilGone("but servers");
	const [record] = recordsOf(scene.home).list();
	expect(record).toMatchObject({ status: "lost", children: [{ status: "lost" }, { status: "completed" }] });
	// The next hermes there ends what the child has left in the background.
	writeFileSync(join(scene.home.path, "tape"), JSON.stringify({ text: "Hello." }));
	const again = ["chat", "-Q", "-q", "hello", ...cassette, "--backend", "ssh"];
	expect(await runHermes(again, { home: scene.home.path, env: farMachine() })).toMatchObject({ stdout: "Hello.\n" });
	await scene.untilGone("servers too");
	const tidy = ["exec", "--backend", "ssh", "--cwd", "/tmp", "rm notes.md"];
	expect(await runHermes(tidy, { home: scene.home.path, env: farMachine() })).toMatchObject({ exitCode: 0 });
});

test("hermes agents says when nobody has worked, and what it does not know", async () => {
	using home = temporaryFolder();
	const options = { home: home.path };
	expect(await runHermes(["agents"], options)).toMatchObject({
		stdout: "No sub-agents have worked yet\n",
		exitCode: 0,
	});
	expect(await runHermes(["agents", "status", "deleg_1"], options)).toMatchObject({ exitCode: 1 });
	expect(await runHermes(["agents", "status"], options)).toMatchObject({ exitCode: 2 });
	expect(await runHermes(["agents", "start"], options)).toMatchObject({ exitCode: 2 });
});
