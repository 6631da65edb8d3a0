/** Keeps the conformance cases about memory on the local backend, in a process of its own: prints one line per broken case. */

import { conformanceCases } from "../../lib/environments/conformance/cases.ts";
import { runConformance } from "../../lib/environments/conformance/run-conformance.ts";
import { openLocal, openLocalShell } from "./local-sandbox.ts";

const cases = conformanceCases.filter((item) => item.needs?.includes("own-memory"));
await using sandbox = await openLocal();
const results = runConformance(cases, {
	capabilities: new Set(["own-memory"]),
	signal: new AbortController().signal,
	openShell: (options) => openLocalShell(sandbox, { ...options, files: "host" }),
});
for await (const { name, ended, reason } of results) {
	process.stdout.write(ended === "kept" ? "kept\n" : `${name}: ${reason}\n`);
}
