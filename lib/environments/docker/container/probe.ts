/** Looks around in a container once: where its user may write, and whether there is a bash. */

import type Docker from "dockerode";
import { BackendUnavailable } from "../../backend.ts";
import { unlessStatus } from "../engine/engine-error.ts";
import { ContainerGone } from "../exec/container-gone.ts";
import { type ExecPlace, startExec } from "../exec/start-exec.ts";

const probeMs = 30_000;

/** How often, and with which pause, a container is looked at in which nothing could be started. */
const endLooks = 6;
const endPauseMs = 200;

/** A user id that the image does not know has `/` for a home, and may write nowhere but in temporary folders. */
const script = `user=$(id -u)
can_write() { [ -d "$1" ] && [ -w "$1" ] && [ -x "$1" ]; }
for home in "$HOME" /root /workspace "/tmp/home-$user"; do
	[ "$home" = / ] && continue
	case $home in /tmp/home-*) mkdir -m 700 "$home" 2>/dev/null ;; esac
	can_write "$home" && break
done
for temporary in "\${TMPDIR:-/tmp}" /tmp /var/tmp /dev/shm "$home"; do
	can_write "$temporary" && break
done
printf '%s\\n' "$home" "$temporary"
for kept in /root /workspace; do
	[ "$(stat -c %h "$kept" 2>/dev/null)" = 0 ] && printf '%s\\n' "$kept"
done
:`;

/** What a folder of this machine is mounted on has no way to it any more: the folder was removed, and perhaps made again. */
export class FolderRemoved extends Error {
	override readonly name = "FolderRemoved";
}

/**
 * Probes a running container.
 * @throws {ContainerGone} When it has ended already.
 * @throws {FolderRemoved} When a folder of this machine that was mounted in it is not that folder any more.
 * @throws {BackendUnavailable} When nothing can be started in it.
 */
export async function probe(
	facts: Pick<ExecPlace, "docker" | "container" | "run" | "losesUnreadInput">,
	/** Variables of this machine that the user gives to containers. */
	forwarded: Readonly<Record<string, string>>,
	signal: AbortSignal,
): Promise<ExecPlace> {
	const inspected = await unlessStatus([404], facts.container.inspect({ abortSignal: signal }));
	if (inspected === undefined) throw new ContainerGone("it was removed");
	const { Config, Name, Id } = inspected;
	const given = variables(Config.Env ?? []);
	// The engine adds both to every process of a container.
	const inheritedNames = [...new Set([...Object.keys(given), "HOSTNAME", "HOME"])];
	const place = {
		...facts,
		environment: given,
		inheritedNames: [],
		name: `the container ${Name.slice(1) || Id.slice(0, 12)}`,
	};
	const { code, said } = await run(place, signal);
	const [home = "", temporary = "", removed = ""] = said.split("\n");
	if (code !== 0) throw new BackendUnavailable(`Cannot use the image "${Config.Image}": ${problem(code, said)}`);
	if (removed !== "") throw new FolderRemoved(`its ${removed} is a folder of this machine that was removed`);
	const environment = {
		...given,
		HOME: home,
		...(temporary !== "/tmp" && { TMPDIR: temporary }),
		...forwarded,
	};
	return { ...place, inheritedNames, environment };
}

async function run(place: ExecPlace, signal: AbortSignal) {
	const options = { env: {}, cwd: "/", stdin: "none" } as const;
	const limited = AbortSignal.any([signal, AbortSignal.timeout(probeMs)]);
	try {
		const running = await startExec(place, ["/bin/sh", "-c", script], { ...options, signal: limited });
		const [said, code] = await Promise.all([new Response(running.output).text(), running.exited]);
		if (code !== 0) await throwIfEnded(place);
		return { said, code };
	} catch (cause) {
		signal.throwIfAborted();
		await throwIfEnded(place);
		throw cause;
	}
}

/** A process in a container that ends at this moment fails in ways of its own, and the engine tells the end later. */
async function throwIfEnded({ container }: ExecPlace): Promise<void> {
	for (let look = 0; look < endLooks; look++) {
		if (look > 0) await Bun.sleep(endPauseMs);
		const facts = await unlessStatus([404], container.inspect());
		if (facts === undefined || !facts.State.Running) throw new ContainerGone("it has ended");
	}
}

function problem(code: number, said: string): string {
	if (code === 126 || code === 127) return "it has no /bin/sh that runs";
	return `its /bin/sh ends with exit code ${code}: ${said.trim().slice(0, 200)}`;
}

function variables(assignments: readonly string[]): Record<string, string> {
	return Object.fromEntries(
		assignments.map((text) => {
			const at = text.indexOf("=");
			return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
		}),
	);
}

/** The last lines that a container said, to explain why it ended. */
export async function lastWords(container: Docker.Container): Promise<string> {
	const raw = await container.logs({ stdout: true, stderr: true, tail: 5 });
	// Frames with headers of eight bytes; for a person the printable part is enough.
	return raw
		.toString("latin1")
		.replace(/[^\x20-\x7e\n]+/g, " ")
		.trim();
}
