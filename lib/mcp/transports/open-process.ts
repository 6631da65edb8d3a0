/** Servers that are started as a process: on this machine, or in a sandbox of any backend. */

import { dirname, join } from "node:path";
import type { Running, StartOptions } from "../../environments/backend.ts";
import { startLocal } from "../../environments/local/start-local.ts";
import { childEnvironment } from "../../security/child-environment.ts";
import type { ServerIdentity } from "../client-parts.ts";
import type { ProcessSettings } from "../server-settings.ts";
import type { OpenedTransport, ServerPlace, TransportOptions } from "./open-transport.ts";
import { ProcessTransport } from "./process-transport.ts";

/** The way to a server that is not started before the client connects. */
export function openProcess(
	server: ServerIdentity<ProcessSettings>,
	{ place, signal }: TransportOptions,
): OpenedTransport {
	const transport = new ProcessTransport({
		start: () => (server.settings.backend === undefined ? startHere : startThere)(server, place, signal),
		onErrorLine: firstLines((line) => server.log.info(`stderr: ${line}`)),
	});
	return { transport, complaint: () => transport.complaint() };
}

/** Of standard error, that go to the log; a server that floods it must not drown what others say. */
const mostLogged = 500;

function firstLines(log: (line: string) => void): (line: string) => void {
	let count = 0;
	return (line) => {
		count++;
		if (count <= mostLogged) log(line);
		else if (count === mostLogged + 1) log("what it writes from here on is left out");
	};
}

const streams = { stdin: "pipe", control: true } as const satisfies Partial<StartOptions>;

async function startHere(
	{ settings }: ServerIdentity<ProcessSettings>,
	place: ServerPlace,
	signal: AbortSignal,
): Promise<Running> {
	const { command, args, env, cwd = place.cwd } = settings;
	const scrubbed = childEnvironment(place.variables, { mode: "allowlist" });
	const path = searchPath(env.PATH ?? scrubbed.PATH ?? "", place.variables);
	const program = Bun.which(command, { PATH: path, cwd });
	if (program === null) {
		const state = command.includes("/")
			? `there is no such program, seen from ${cwd}`
			: `it is not on the PATH (${path}); install it, or name it with its folder in config.yaml`;
		throw new Error(`Cannot start "${command}": ${state}`);
	}
	const host = await place.localHost();
	// A script such as npx looks for its runtime on the PATH, which is where it is itself.
	const PATH = [...new Set([dirname(program), ...path.split(":")])].join(":");
	return startLocal(host, [program, ...args], { ...streams, cwd, env: { ...scrubbed, ...env, PATH }, signal });
}

/** Where people have npx and uvx, though a service or a desktop starts us without them. */
function searchPath(path: string, { HOME: home }: Readonly<Record<string, string>>): string {
	const folders = [...path.split(":"), ...(home ? [join(home, ".local/bin"), join(home, ".bun/bin")] : [])];
	return [...new Set(folders)].filter((folder) => folder !== "").join(":");
}

/** Nothing of this machine's environment is of use there, nor any of its business. */
async function startThere(
	server: ServerIdentity<ProcessSettings>,
	place: ServerPlace,
	signal: AbortSignal,
): Promise<Running> {
	const { command, args, env, cwd = "/" } = server.settings;
	const sandbox = await place.sandboxOf(server, signal);
	return await sandbox.start([command, ...args], { ...streams, cwd, env, signal });
}
