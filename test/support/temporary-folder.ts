/** A folder of its own for one test, gone when the test ends. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An empty 0700 folder; `using` removes it with everything in it. */
export function temporaryFolder(): { readonly path: string } & Disposable {
	const path = mkdtempSync(join(tmpdir(), "hermes-test-"));
	return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
