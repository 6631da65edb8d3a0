/** The state folder of backends whose files the host cannot reach: every step is a small process in the sandbox. */

import { BackendUnavailable, type Sandbox } from "../backend.ts";
import { runToEnd } from "./run-to-end.ts";
import type { StateFolder } from "./state-folder.ts";

/** One step moves a few kilobytes; a sandbox that needs longer has lost its connection. */
const stepLimitMs = 30_000;

const makeFolder = `umask 077; for d in /dev/shm "$TMPDIR" /tmp "$HOME"; do [ -n "$d" ] && [ -d "$d" ] && [ -w "$d" ] || continue
f=$(mktemp -d "$d/hermes-XXXXXX") && printf %s "$f" && exit 0; done; exit 1`;

const nearest = `d=$1; while [ ! -d "$d" ]; do p=\${d%/*}; [ "$p" = "$d" ] && p=; d=\${p:-/}; done
cd -- "$d" && { [ "$d" = "$1" ] && printf = || printf /; } && pwd -P && printf .`;

/** Makes a 0700 folder in the sandbox. @throws {BackendUnavailable} When there is no place to write. */
export async function openSandboxStateFolder(sandbox: Sandbox, signal: AbortSignal): Promise<StateFolder> {
	// Not the caller's signal: an interrupted command still reads its state and removes its files.
	const step = (script: string, argument: string, stdin?: Uint8Array) =>
		runToEnd(sandbox, ["sh", "-c", script, "sh", argument], {
			signal: AbortSignal.timeout(stepLimitMs),
			...(stdin && { stdin }),
		});
	const made = await runToEnd(sandbox, ["sh", "-c", makeFolder], { signal });
	if (made.exitCode !== 0) {
		throw new BackendUnavailable(`Cannot open a shell on ${sandbox.ranOn}: no temporary folder is writable there`);
	}
	const folder = made.output.toString("utf8");
	let count = 0;
	const next = () => `${folder}/${count++}`;
	return {
		reserve: async () => next(),
		take: async (path) => {
			const { exitCode, output } = await step('[ -e "$1" ] && cat -- "$1" && rm -f -- "$1"', path);
			return exitCode === 0 ? output : undefined;
		},
		place: async (content) => {
			const path = next();
			const { exitCode } = await step('umask 077; cat >"$1"', path, content);
			if (exitCode !== 0)
				throw new BackendUnavailable(`Cannot write "${path}" on ${sandbox.ranOn}: exit code ${exitCode}`);
			return path;
		},
		remove: async (path) => void (await step('rm -f -- "$1"', path)),
		nearestFolder: async (path) => {
			const { exitCode, output } = await step(nearest, path);
			const [, mark, found] = /^(.)(.*)\n\.$/s.exec(output.toString("utf8")) ?? [];
			if (exitCode !== 0 || found === undefined) return { path: "/", isAsked: false };
			return { path: found, isAsked: mark === "=" };
		},
		[Symbol.asyncDispose]: async () => void (await step('rm -rf -- "$1"', folder)),
	};
}
