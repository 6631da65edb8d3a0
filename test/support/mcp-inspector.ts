/** The command line of the MCP Inspector, as people use it to look at a server. */

import { join } from "node:path";
import { z } from "zod";
import { runProgram } from "./run-program.ts";

const inspector = join(
	import.meta.dir,
	"../../node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js",
);

const printed = z.looseObject({});

/** What `--method` and further flags print for the server that `target` names; `home` is the home of both. */
export async function inspect(
	flags: readonly string[],
	target: readonly string[],
	{ home, env }: { readonly home: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Readonly<Record<string, unknown>>> {
	const variables = { PATH: process.env.PATH ?? "", HOME: home, HERMES_HOME: join(home, ".hermes"), ...env };
	const passed = Object.entries(variables).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
	const isAddress = target[0]?.startsWith("http") === true;
	const reached = isAddress ? ["--transport", "http", ...target] : ["--transport", "stdio", ...passed, "--", ...target];
	const words = [process.execPath, inspector, ...flags, ...reached];
	const { stdout, stderr, exitCode } = await runProgram(words, { cwd: home, env: variables });
	if (exitCode !== 0) throw new Error(`The Inspector failed (${exitCode}): ${stderr}${stdout}`);
	return printed.parse(JSON.parse(stdout));
}
