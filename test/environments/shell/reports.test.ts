/** What users of shell tools have reported elsewhere and no other test says: each names its report. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../../../lib/environments/shell/execute.ts";
import { openLocal, openLocalShell, plainEnvironment } from "../../support/local-sandbox.ts";
import { hermesProgram } from "../../support/run-hermes.ts";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

setDefaultTimeout(60_000);

const { signal } = new AbortController();

test("what a hook of a folder sets is there in the next command (#57450)", async () => {
	using home = temporaryFolder();
	mkdirSync(join(home.path, "project"));
	await Bun.write(join(home.path, "project", ".hook"), 'export PATH="/project/bin:$PATH" VERSION=20\n');
	await Bun.write(join(home.path, ".bashrc"), 'cd() { builtin cd "$@" && if [ -f .hook ]; then . ./.hook; fi; }\n');
	await using sandbox = await openLocal();
	const environment = { ...plainEnvironment, HOME: home.path };
	await using shell = await openLocalShell(sandbox, { environment, cwd: home.path });
	await execute(shell, "cd project", { signal });
	const { output } = await execute(shell, 'echo "$VERSION $PATH"', { signal });
	expect(output).toStartWith("20 /project/bin:");
});

test.skipIf(process.platform !== "linux" || Bun.which("script") === null)(
	"start-up files that reach for the terminal stop nothing (#8804)",
	async () => {
		using home = temporaryFolder();
		const grab = "stty sane </dev/tty >/dev/null 2>&1; set -m; sleep 0.2; (read -t 0.1 line </dev/tty) 2>/dev/null\n";
		for (const file of [".bashrc", ".profile"]) await Bun.write(join(home.path, file), grab);
		const words = [...hermesProgram(), "exec", "--", "echo", "still here"].map((word) => `'${word}'`).join(" ");
		const env = { PATH: process.env.PATH ?? "", HOME: home.path, SHELL: "/bin/sh" };
		const argv = ["timeout", "40", "script", "-qec", words, "/dev/null"];
		const { stdout, exitCode } = await runProgram(argv, { cwd: home.path, env });
		expect({ exitCode, isThere: stdout.includes("still here") }).toEqual({ exitCode: 0, isThere: true });
	},
);
