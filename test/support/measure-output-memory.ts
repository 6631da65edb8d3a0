/** Prints by how many bytes a process grows while 100 MB of a local command's output pass through it. */

import { memoryOfOutput } from "../../lib/environments/conformance/memory-of-output.ts";
import { execute } from "../../lib/environments/shell/execute.ts";
import { openLocal, openLocalShell } from "./local-sandbox.ts";

const { signal } = new AbortController();
await using sandbox = await openLocal();
await using shell = await openLocalShell(sandbox, { files: "host" });
const run: Parameters<typeof memoryOfOutput>[0] = (command, options) => execute(shell, command, { signal, ...options });
const { grownBytes, characters } = await memoryOfOutput(run, 100_000_000);
process.stdout.write(JSON.stringify({ characters, grownBytes }));
