/** `scripts/setup.sh` with a stand-in for npm: which Bun ends up first on PATH. */

import { describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const setup = join(import.meta.dir, "../../scripts/setup.sh");
const platformPackage = "node_modules/@oven/bun-test/bin/bun";

/** An npm that lays out the packages as npm does when it runs no postinstall script: a placeholder and the real program. */
const npmWithoutScripts = `#!/bin/sh
mkdir -p node_modules/bun/bin node_modules/@oven/bun-test/bin
printf '#!/bin/sh\\necho "postinstall was not run" >&2; exit 1\\n' >node_modules/bun/bin/bun.exe
chmod +x node_modules/bun/bin/bun.exe
ln -s "${process.execPath}" ${platformPackage}
echo "npm $*" >>../npm-calls
`;

/** An npm whose postinstall ran: the program is in the main package. */
const npmWithScripts = `#!/bin/sh
mkdir -p node_modules/bun/bin
ln -s "${process.execPath}" node_modules/bun/bin/bun.exe
`;

/** A project with nothing but set-up, and the few programs that it calls. */
async function project(folder: string, programs: Readonly<Record<string, string>>): Promise<void> {
	cpSync(setup, join(folder, "setup.sh"));
	await Bun.write(
		join(folder, "package.json"),
		JSON.stringify({ name: "x", packageManager: `bun@${Bun.version}` }, null, 1),
	);
	mkdirSync(join(folder, "path"));
	for (const name of ["sh", "sed", "mkdir", "ln", "chmod"])
		symlinkSync(Bun.which(name) ?? name, join(folder, "path", name));
	for (const [name, script] of Object.entries(programs)) {
		await Bun.write(join(folder, "path", name), script);
		chmodSync(join(folder, "path", name), 0o755);
	}
}

function runSetup(folder: string) {
	const script = "set -eu; . ./setup.sh; command -v bun; bun --version";
	return runProgram(["/bin/sh", "-c", script], { cwd: folder, env: { PATH: join(folder, "path"), HOME: folder } });
}

describe("setup.sh", () => {
	test.each([
		["runs no postinstall script", npmWithoutScripts],
		["runs postinstall scripts", npmWithScripts],
	])("links the installed Bun when npm %s", async (_, npm) => {
		using folder = temporaryFolder();
		await project(folder.path, { npm });
		const { stdout, exitCode } = await runSetup(folder.path);
		expect({ stdout, exitCode }).toEqual({
			stdout: `${folder.path}/.tools/bin/bun\n${Bun.version}\n`,
			exitCode: 0,
		});
	});

	test("uses no Bun of another version, and installs only once", async () => {
		using folder = temporaryFolder();
		await project(folder.path, { npm: npmWithoutScripts, bun: "#!/bin/sh\necho 1.0.0\n" });
		await runSetup(folder.path);
		const { stdout } = await runSetup(folder.path);
		expect({ stdout, npm: await Bun.file(join(folder.path, "npm-calls")).text() }).toEqual({
			stdout: `${folder.path}/.tools/bin/bun\n${Bun.version}\n`,
			npm: `npm install --no-audit --no-fund --no-package-lock --loglevel=error bun@${Bun.version}\n`,
		});
	});

	test("takes the Bun on PATH when it is the pinned version", async () => {
		using folder = temporaryFolder();
		await project(folder.path, {});
		symlinkSync(process.execPath, join(folder.path, "path/bun"));
		const { stdout, exitCode } = await runSetup(folder.path);
		expect({ stdout, exitCode }).toEqual({ stdout: `${folder.path}/path/bun\n${Bun.version}\n`, exitCode: 0 });
	});

	test("says what to install when there is neither npm nor Bun", async () => {
		using folder = temporaryFolder();
		await project(folder.path, {});
		expect(await runSetup(folder.path)).toEqual({
			stdout: "",
			stderr: `Installing Bun ${Bun.version} into .tools (needed once)
Cannot install Bun ${Bun.version}: neither npm nor bun is on PATH; install Node.js or Bun first
`,
			exitCode: 1,
		});
	});
});
