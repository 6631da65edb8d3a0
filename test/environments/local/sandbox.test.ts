/** The fence around commands of this machine, built for real. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { BackendUnavailable, type Sandbox } from "../../../lib/environments/backend.ts";
import { folderCases } from "../../../lib/environments/conformance/cases/folder.ts";
import { conformanceCases } from "../../../lib/environments/conformance/cases.ts";
import type { SessionOptions } from "../../../lib/environments/conformance/conformance-case.ts";
import { missingNeeds, runCase } from "../../../lib/environments/conformance/run-conformance.ts";
import type { FenceKind } from "../../../lib/environments/local/sandbox/fence.ts";
import { seatbeltProfile } from "../../../lib/environments/local/sandbox/seatbelt.ts";
import { execute } from "../../../lib/environments/shell/execute.ts";
import { openLocal, openLocalShell, plainEnvironment } from "../../support/local-sandbox.ts";
import { requireService } from "../../support/required-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { countProcesses, holdsWithin } from "../relay/programs.ts";

const { signal } = new AbortController();

/** Outside of the temporary folders, which can be written to. */
const outer = join(homedir(), `.hermes-fence-test-${process.pid}`);
mkdirSync(join(outer, "project"), { recursive: true });
mkdirSync(join(outer, "home"));
writeFileSync(join(outer, "precious"), "as it was\n");
afterAll(async () => void (await Bun.$`rm -rf ${outer}`));

const place = { cwd: join(outer, "project"), home: join(outer, "home") };
const isFenced = await requireService("bubblewrap", async () => {
	await using sandbox = await openLocal({ local_sandbox: "write" }, place);
	return sandbox.ranOn;
});

describe.skipIf(!isFenced)("local_sandbox", () => {
	const sandboxes = new Map<FenceKind, Sandbox>();
	beforeAll(async () => {
		for (const kind of ["write", "full"] as const) sandboxes.set(kind, await openLocal({ local_sandbox: kind }, place));
	});
	afterAll(async () => {
		for (const sandbox of sandboxes.values()) await sandbox[Symbol.asyncDispose]();
	});

	const run = async (kind: FenceKind, command: string) => {
		const sandbox = sandboxes.get(kind);
		if (sandbox === undefined) throw new Error(`there is no fence "${kind}"`);
		await using shell = await openLocalShell(sandbox, { cwd: place.cwd });
		const { output, exitCode } = await execute(shell, command, { signal, timeoutSeconds: 30 });
		return { output, exitCode };
	};

	test.each(["write", "full"] as const)("%s: files outside can be read and not touched", async (kind) => {
		const file = join(outer, "precious");
		expect(await run(kind, `cat ${file}`)).toEqual({ output: "as it was\n", exitCode: 0 });
		const tries = [
			`echo no > ${file}`,
			`rm ${file}`,
			`mv ${file} ${file}2`,
			`touch ${join(outer, "new")}`,
			`chmod 777 ${file}`,
			`ln -s ${file} link; echo no > link`,
			`mount -o remount,rw / && echo no > ${file}`,
			`echo no > ${join(place.home, "config.yaml")}`,
			`echo 1 > /proc/sys/vm/drop_caches`,
			"mknod disk b 8 0 && cat disk",
		];
		const results = await Promise.all(tries.map((command) => run(kind, command)));
		expect(results.map(({ exitCode }) => exitCode === 0)).toEqual(tries.map(() => false));
		expect([readFileSync(file, "utf8"), existsSync(join(outer, "new"))]).toEqual(["as it was\n", false]);
	});

	test("write: the folder of the session, temporary folders and checkpoints can be written to", async () => {
		using temporary = temporaryFolder();
		const files = [join(place.cwd, "a"), join(temporary.path, "a"), join(place.home, "checkpoints/a")];
		expect(await run("write", files.map((file) => `echo in > ${file}`).join(" && "))).toEqual({
			output: "",
			exitCode: 0,
		});
		expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(["in\n", "in\n", "in\n"]);
	});

	test("full: nobody can be reached; write: everybody can", async () => {
		using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("reached") });
		const connect = `exec 3<>/dev/tcp/127.0.0.1/${server.port} && printf 'GET / HTTP/1.0\r\n\r\n' >&3 && cat <&3 | tail -1`;
		expect((await run("write", connect)).output).toContain("reached");
		const cut = await run("full", connect);
		expect([cut.output.includes("reached"), cut.exitCode === 0]).toEqual([false, false]);
	});

	test("processes outside, with the keys in their environments, cannot be seen or killed", async () => {
		const { output } = await run(
			"write",
			`kill -0 ${process.pid}; cat /proc/${process.pid}/environ; ls /proc | grep -c '^[0-9]'`,
		);
		expect(output).toContain("No such process");
		expect(Number(output.trim().split("\n").at(-1))).toBeLessThan(20);
	});

	test("a program that is not there exits with 127, and what a signal ended with its number", async () => {
		expect((await run("write", "no-such-program-here")).exitCode).toBe(127);
		expect((await run("write", "kill -9 $$")).exitCode).toBe(137);
	});

	test("a command that takes too long ends with all it started", async () => {
		const sandbox = sandboxes.get("write");
		if (sandbox === undefined) throw new Error("there is no fence");
		await using shell = await openLocalShell(sandbox, { cwd: place.cwd });
		const sleep = `sleep 60.${process.pid}`;
		const command = `${sleep} & setsid ${sleep} & ${sleep}`;
		const { ended } = await execute(shell, command, { signal, timeoutSeconds: 0.5 });
		expect(ended).toBe("timed_out");
		expect(await holdsWithin(30, () => countProcesses(sleep) === 0)).toBe(true);
	});

	const target = {
		capabilities: new Set<never>(),
		signal,
		openShell: (options: SessionOptions) => {
			const sandbox = sandboxes.get("write");
			if (sandbox === undefined) throw new Error("there is no fence");
			return openLocalShell(sandbox, options);
		},
	};
	const about = new Set([...folderCases]);
	for (const item of conformanceCases.filter((item) => about.has(item))) {
		test.skipIf(missingNeeds(item, target).length > 0)(`write: ${item.name}`, () => runCase(item, target), 60_000);
	}
});

describe("without a fence nothing runs", () => {
	const without = { ...plainEnvironment, PATH: "/nonexistent" };

	test.skipIf(process.platform !== "linux")("open() refuses in / and says why", async () => {
		const opening = openLocal({ local_sandbox: "write" }, { ...place, cwd: "/" });
		await expect(opening).rejects.toThrow(BackendUnavailable);
		await expect(openLocal({ local_sandbox: "full" }, { ...place, cwd: "/" })).rejects.toThrow(
			'Cannot open the local backend with terminal.local_sandbox "full": the session starts in /',
		);
	});

	test.skipIf(process.platform !== "linux")(
		"open() refuses when bubblewrap is missing, or is forbidden to work",
		async () => {
			using folder = temporaryFolder();
			// Namespaces without /usr/bin are the only way to take a program away that is looked for there too.
			const program = `
			import local from ${JSON.stringify(join(import.meta.dir, "../../../lib/environments/local/index.ts"))};
			const context = { signal: new AbortController().signal, taskId: "t", home: "/tmp", cwd: "/tmp", hostEnvironment: { PATH: "/none" } };
			console.log(await local.available({ local_sandbox: "write" }, context.hostEnvironment));
			await local.open({ local_sandbox: "write" }, context).then(() => console.log("opened"), (cause) => console.log(cause.message));
		`;
			writeFileSync(join(folder.path, "open.ts"), program);
			const hide = existsSync("/usr/bin/bwrap") ? "mount --bind /dev/null /usr/bin/bwrap;" : "";
			const argv = [
				"unshare",
				"-Urm",
				"sh",
				"-c",
				`${hide} exec "$@"`,
				"sh",
				process.execPath,
				join(folder.path, "open.ts"),
			];
			const child = Bun.spawn(argv, {
				stdout: "pipe",
				stderr: "pipe",
				env: { PATH: "/usr/bin:/bin", HOME: folder.path },
			});
			const lines = (await new Response(child.stdout).text()).trim().split("\n");
			const why =
				"bubblewrap is not installed (apt-get install bubblewrap, dnf install bubblewrap); nothing runs without it";
			expect(lines).toEqual([why, `Cannot open the local backend with terminal.local_sandbox "write": ${why}`]);
			using bin = temporaryFolder();
			writeFileSync(
				join(bin.path, "bwrap"),
				"#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n",
				{ mode: 0o755 },
			);
			const forbidden = openLocal(
				{ local_sandbox: "write" },
				{ ...place, hostEnvironment: { ...without, PATH: bin.path } },
			);
			await expect(forbidden).rejects.toThrow(
				"the system does not allow it (bwrap: No permissions to create new namespace)",
			);
		},
	);
});

test("seatbeltProfile() denies first and allows what lies inside", () => {
	const plan = { kind: "full", writable: ["/w", '/h/"c"'], readOnly: ["/h"], path: "" } as const;
	expect(seatbeltProfile(plan).split("\n").slice(0, 3)).toEqual([
		"(version 1)",
		"(allow default)",
		"(deny file-write*)",
	]);
	expect(seatbeltProfile(plan).split("\n").slice(4)).toEqual([
		'(deny file-write* (subpath "/h"))',
		'(allow file-write* (subpath "/h/\\"c\\""))',
		"(deny network*)",
	]);
});
