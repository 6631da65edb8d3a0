/**
 * Calls of scripts where nothing else works: a request is a file, and its answer another. One process in the sandbox waits
 * for requests and hands over all there are; it costs a start for each batch, and a start for each answer.
 */

import type { Sandbox } from "../../environments/backend.ts";
import { runToEnd } from "../../environments/shell/run-to-end.ts";
import { shellEnvironment } from "../script-environment.ts";
import type { Transport, TransportParts } from "./transport.ts";

/** A larger request is reported to the script instead of being sent. */
const longestRequest = 32 * 1024 * 1024;

/**
 * Waits for requests in "$1", at most some 20 seconds, looking less often the longer none comes. Prints for each a line
 * with name and size, then its bytes, and removes it.
 */
const waitScript = `cd "$1" || exit 3
most=$2 turns=0 pause=0.05
while set -- *.request; [ ! -e "$1" ]; do
	turns=$((turns + 1))
	[ "$turns" -lt 40 ] || pause=0.25
	[ "$turns" -lt 110 ] || exit 0
	sleep "$pause" 2>/dev/null || { sleep 1; turns=$((turns + 5)); }
done
for file do
	size=$(($(wc -c <"$file"))) || continue
	if [ "$size" -gt "$most" ]; then mkdir "\${file%.request}.lost"
	else printf '%s %s\\n' "\${file%.request}" "$size" && cat "$file"
	fi
	rm -f "$file"
done`;

/** A folder takes no room where a file finds none: it tells the script that its answer is lost. */
const answerScript = `cd "$1" || exit 3
umask 077
cat >"$2.part" && mv "$2.part" "$2.answer" && exit 0
rm -f "$2.part"
mkdir "$2.lost"`;

const answerLimitMs = 60_000;

/** Looks for requests in the folder `rpc` of the script's folder, which must exist. */
export function pollFiles({ shell, folder, desk, signal }: TransportParts): Transport {
	const { sandbox } = shell;
	const place = `${folder}/rpc`;
	const env = shellEnvironment(shell);
	const stop = new AbortController();
	const { promise: broken, reject: fail } = Promise.withResolvers<never>();
	broken.catch(() => undefined);
	const serve = async ({ name, text }: FileRequest) => {
		const answer = await desk.answer(text, stop.signal);
		if (stop.signal.aborted) return;
		const argv = ["/bin/sh", "-c", answerScript, "sh", place, name];
		await runToEnd(sandbox, argv, { env, stdin: Buffer.from(answer), signal: AbortSignal.timeout(answerLimitMs) });
	};
	const watch = async () => {
		const argv = ["/bin/sh", "-c", waitScript, "sh", place, String(longestRequest)];
		while (!stop.signal.aborted) {
			const { exitCode, output } = await runToEnd(sandbox, argv, { env, signal: stop.signal });
			if (exitCode !== 0) throw lost(sandbox, `the folder for calls cannot be read (exit code ${exitCode})`);
			for (const found of requestsIn(output)) serve(found).catch(fail);
		}
	};
	const watching = watch().catch((cause) => {
		if (!stop.signal.aborted) fail(cause);
	});
	signal.addEventListener("abort", () => stop.abort(signal.reason), { signal: stop.signal });
	return {
		name: "files",
		variables: { HERMES_RPC_DIR: place },
		broken,
		async [Symbol.asyncDispose]() {
			stop.abort(new Error("The script has ended"));
			await watching;
		},
	};
}

function lost({ ranOn }: Sandbox, reason: string): Error {
	return new Error(`Cannot take the calls of a script on ${ranOn}: ${reason}`);
}

interface FileRequest {
	readonly name: string;
	readonly text: string;
}

/** Whole requests only: a process that was cut off leaves half of one. */
function* requestsIn(output: Buffer): Generator<FileRequest> {
	for (let at = 0; at < output.length; ) {
		const lineEnd = output.indexOf("\n", at);
		const [, name = "", size = ""] = /^(\w+) (\d+)$/.exec(output.toString("latin1", at, Math.max(lineEnd, at))) ?? [];
		const end = lineEnd + 1 + Number(size);
		if (lineEnd < 0 || name === "" || end > output.length) return;
		yield { name, text: output.toString("utf8", lineEnd + 1, end) };
		at = end;
	}
}
