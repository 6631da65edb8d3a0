/** The compiled executables in `dist/` for tests of them. */

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildForThisMachine, describeVersion } from "../../scripts/build-binary.ts";
import { checksumFile } from "../../scripts/checksums.ts";
import { targets } from "../../scripts/targets.ts";
import { isRequired } from "./required-service.ts";
import { runProgram } from "./run-program.ts";

const root = join(import.meta.dir, "../..");

/** Where executables are built. */
export const distFolder = join(root, "dist");

/** The absolute path of an executable that is not older than any source; builds it when it is. */
export async function builtBinary(): Promise<string> {
	if (!isFresh("hermes") || !existsSync(join(distFolder, "hermes-agent"))) {
		await buildForThisMachine(distFolder, await describeVersion());
	}
	return join(distFolder, "hermes");
}

/** The path of an executable that is not older than any source; undefined where there is none. */
export function freshBinary(): string | undefined {
	return isFresh("hermes") ? join(distFolder, "hermes") : undefined;
}

/**
 * Returns when the executables of all targets are there and not older than any source. Builds them only where tests of them
 * are required: eight take their time.
 * @throws {Error} When they are not there, and when they cannot be built.
 */
export async function builtTargets(): Promise<void> {
	if (isFresh(checksumFile) && targets.every(({ file }) => existsSync(join(distFolder, file)))) return;
	if (!isRequired("targets"))
		throw new Error("dist/ has no executables of these sources; bun run build --all makes them");
	const build = [process.execPath, join(root, "scripts/build-binary.ts"), "--all"];
	const { exitCode, stderr } = await runProgram(build, {
		cwd: root,
		env: { ...process.env } as Record<string, string>,
	});
	if (exitCode !== 0) throw new Error(stderr.trim());
}

function isFresh(file: string): boolean {
	return changedAt(join("dist", file)) >= newestSource();
}

function newestSource(): number {
	const scripts = "scripts/{build-binary,plugin-freezing,targets,module-stubs}.ts";
	const patterns = ["main.ts", "package.json", "bun.lock", "lib/**/*", scripts];
	return Math.max(...patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)].map(changedAt)));
}

function changedAt(path: string): number {
	return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
