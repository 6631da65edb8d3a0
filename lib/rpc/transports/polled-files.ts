/**
 * Calls of scripts where nothing else works: a request is a file, and its answer another. One process in the sandbox looks
 * for requests and hands them over; each answer is written by a process of its own.
 */

import type { Running } from "../../environments/backend.ts";
import { runToEnd } from "../../environments/shell/run-to-end.ts";
import { shellEnvironment } from "../script-environment.ts";
import { RequestReader } from "./request-reader.ts";
import type { Transport, TransportParts } from "./transport.ts";

/** A larger request is reported to the script instead of being sent. */
const longestRequest = 32 * 1024 * 1024;

/**
 * Looks for requests in "$1" until it is gone, less often the longer none comes. Prints for each a line with name and size,
 * then its bytes, and removes it.
 */
const lookScript = `cd "$1" || exit 3
folder=$1 most=$2 turns=0
while [ -d "$folder" ]; do
	set -- *.request
	if [ -e "$1" ]; then
		turns=0
		for file do
			size=$(($(wc -c <"$file"))) || continue
			if [ "$size" -gt "$most" ]; then mkdir "\${file%.request}.lost"
			else printf '%s %s\\n' "\${file%.request}" "$size" && cat "$file"
			fi
			rm -f "$file"
		done
	fi
	turns=$((turns + 1)) pause=0.03
	[ "$turns" -lt 50 ] || pause=0.1
	[ "$turns" -lt 200 ] || pause=0.4
	sleep "$pause" 2>/dev/null || sleep 1
done`;

/** A folder takes no room where a file finds none: it tells the script that its answer is lost. */
const answerScript = `cd "$1" || exit 3
umask 077
cat >"$2.part" && mv "$2.part" "$2.answer" && exit 0
rm -f "$2.part"
mkdir "$2.lost"`;

const answerLimitMs = 60_000;

/** Looks in the folder `rpc` of the script's folder, which must exist. What looks ends when that is removed. */
export async function pollFiles({ shell, folder, desk, signal }: TransportParts): Promise<Transport> {
	const { sandbox } = shell;
	const place = `${folder}/rpc`;
	const env = shellEnvironment(shell);
	const ended = new AbortController();
	const { promise: broken, reject: fail } = Promise.withResolvers<never>();
	broken.catch(() => undefined);
	const serve = async (name: string, request: string) => {
		const answer = await desk.answer(request, ended.signal);
		if (ended.signal.aborted || signal.aborted) return;
		const argv = ["/bin/sh", "-c", answerScript, "sh", place, name];
		await runToEnd(sandbox, argv, { env, stdin: Buffer.from(answer), signal: AbortSignal.timeout(answerLimitMs) });
	};
	const argv = ["/bin/sh", "-c", lookScript, "sh", place, String(longestRequest)];
	const looking = await sandbox.start(argv, { env, cwd: "/", stdin: "none", signal });
	void follow(looking, (name, request) => void serve(name, request).catch(fail)).then((exitCode) => {
		if (ended.signal.aborted) return;
		fail(
			new Error(`Cannot take the calls of a script on ${sandbox.ranOn}: nobody looks any more (exit code ${exitCode})`),
		);
	}, fail);
	return {
		name: "files",
		variables: { HERMES_RPC_DIR: place },
		broken,
		async [Symbol.asyncDispose]() {
			ended.abort(new Error("The script has ended"));
		},
	};
}

async function follow(looking: Running, onRequest: (name: string, request: string) => void): Promise<number> {
	const reader = new RequestReader();
	for await (const bytes of looking.output) {
		for (const { name, text } of reader.read(bytes)) onRequest(name, text);
	}
	return looking.exited;
}
