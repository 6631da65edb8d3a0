/** The compiled `dist/hermes` for tests of the binary. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { buildBinary, describeVersion } from "../../scripts/build-binary.ts";

const root = join(import.meta.dir, "../..");
const binary = join(root, "dist/hermes");

/** The absolute path of an executable that is not older than any source; builds it when it is. */
export async function builtBinary(): Promise<string> {
	if (changedAt("dist/hermes") < newestSource()) {
		await buildBinary({ entry: join(root, "main.ts"), outfile: binary, version: await describeVersion() });
	}
	return binary;
}

function newestSource(): number {
	const patterns = ["main.ts", "package.json", "bun.lock", "lib/**/*", "scripts/{build-binary,plugin-freezing}.ts"];
	return Math.max(...patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)].map(changedAt)));
}

function changedAt(path: string): number {
	return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
