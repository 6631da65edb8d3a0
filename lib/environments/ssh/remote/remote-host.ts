/** What is known of a host that programs are started on. */

import { BackendUnavailable } from "../../backend.ts";
import { exportedNames } from "../../environment-text.ts";
import { markedStream } from "../../marked-stream.ts";
import type { Transport } from "../transport.ts";
import { createEnvironmentFiles, type EnvironmentFiles } from "./environment-files.ts";
import { loginLine } from "./launcher.ts";

/** A host, ready to start programs on. */
export interface RemoteHost {
	readonly transport: Transport;
	/** Names this run in the environment of what it starts. */
	readonly run: string;
	/** The user's login shell there. */
	readonly loginShell: string;
	/** A 0700 folder of ours there. */
	readonly folder: string;
	readonly environments: EnvironmentFiles;
	/** Names the next program; no name is the beginning of another. */
	nextCall(): string;
}

/** A folder in memory where there is one: it holds the session's variables. Then what a login is like. */
const exploreScript = (mark: string) => `umask 077; f=; for d in /dev/shm "$TMPDIR" /tmp "$HOME"; do
[ -n "$d" ] && [ -d "$d" ] && [ -w "$d" ] && f=$(mktemp -d "$d/hermes-ssh-XXXXXX" 2>/dev/null) && break; done
printf '${mark}\\n%s\\0%s\\0' "$f" "$SHELL"; export -p`;

/** Output of the exploration is small; a login whose files take longer is broken. */
const exploreLimitMs = 60_000;

/** Looks around on the host. @throws {BackendUnavailable} When a login there runs nothing, or can write nowhere. */
export async function openRemoteHost(transport: Transport, signal: AbortSignal): Promise<RemoteHost> {
	const mark = newMark();
	// Not knowing the login shell yet, in words that every shell reads alike.
	const line = loginLine("", exploreScript(mark), []);
	const said = await runLine(transport, {
		line,
		mark,
		signal: AbortSignal.any([signal, AbortSignal.timeout(exploreLimitMs)]),
	});
	const [folder = "", loginShell = "", exports = ""] = said.split("\0");
	if (!folder.startsWith("/")) {
		throw new BackendUnavailable(
			`Cannot use ${transport.destination}: no folder is writable there for the session's variables`,
		);
	}
	let calls = 0;
	return {
		transport,
		run: crypto.randomUUID(),
		loginShell,
		folder,
		environments: createEnvironmentFiles(folder, exportedNames(exports)),
		nextCall: () => `${++calls}x`,
	};
}

/** Removes what `openRemoteHost` made. */
export async function closeRemoteHost(
	{ transport, folder, loginShell }: RemoteHost,
	signal: AbortSignal,
): Promise<void> {
	const mark = newMark();
	const script = `printf '${mark}\\n'; rm -rf -- "$1"`;
	await runLine(transport, { line: loginLine(loginShell, script, [folder]), mark, signal });
}

/** A word that no program says by chance. */
export function newMark(): string {
	return `hermes-${crypto.randomUUID()}`;
}

/**
 * What a short script of ours says after the line with `mark`, which it says first.
 * @throws {BackendUnavailable} When the login shell does not get so far.
 */
export async function runLine(
	transport: Transport,
	{ line, mark, signal }: { readonly line: string; readonly mark: string; readonly signal: AbortSignal },
): Promise<string> {
	signal.throwIfAborted();
	const remote = await transport.run({ line, hasInput: false, isUrgent: true, signal });
	const stop = () => remote.abandon();
	signal.addEventListener("abort", stop, { once: true });
	try {
		let isMarked = false;
		const onLine = () => {
			isMarked = true;
		};
		const output = markedStream({ source: remote.output, mark, lines: "first", onLine });
		const errors = new Response(remote.errors).text();
		const [text] = await Promise.all([new Response(output.stream).text(), remote.exited]);
		if (isMarked) return text;
		const noise = [await output.sourceEnded, (await errors).trim()].filter((part) => part !== "").join("; ");
		throw new BackendUnavailable(
			`Cannot use ${transport.destination}: its login shell runs nothing: ${noise || "it is silent"}`,
		);
	} catch (cause) {
		signal.throwIfAborted();
		throw cause;
	} finally {
		signal.removeEventListener("abort", stop);
	}
}
