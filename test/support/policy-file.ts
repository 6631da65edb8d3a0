/** A policy of a machine for one test. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PolicySource } from "../../lib/config/policy.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Who runs the tests stands for root. */
export const policyOwner = process.getuid?.() ?? 0;

/** A home folder, and beside it a policy with this content; HERMES_HOME is `.hermes` in the home. */
export function machineWithPolicy(policy: string, config = "") {
	const folder = temporaryFolder();
	const home = join(folder.path, "home");
	mkdirSync(join(home, ".hermes"), { recursive: true, mode: 0o700 });
	if (config !== "") writeFileSync(join(home, ".hermes/config.yaml"), config, { mode: 0o600 });
	mkdirSync(join(folder.path, "etc"), { mode: 0o755 });
	const path = join(folder.path, "etc/policy.yaml");
	writeFileSync(path, policy, { mode: 0o644 });
	const source: PolicySource = { path, owner: policyOwner };
	return { home, path, policy: source, [Symbol.dispose]: folder[Symbol.dispose] };
}
