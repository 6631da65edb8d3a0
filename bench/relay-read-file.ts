/** A small file read by the file tools in a container, through the relay, against one on this machine. */

import { execute } from "../lib/environments/shell/execute.ts";
import { readDirectly } from "../lib/environments/shell/read-directly.ts";
import type { Shell } from "../lib/environments/shell/shell.ts";
import type { FilePlace } from "../lib/files/place.ts";
import { readPage } from "../lib/files/read.ts";
import { defineBench } from "./bench.ts";
import { openSessions } from "./relayed.ts";

const { signal } = new AbortController();
const request = { path: "/etc/passwd", offset: 1, limit: 100 };

function placeOf(shell: Shell): FilePlace {
	return {
		execute: (command, options) => execute(shell, command, { signal, ...options }),
		readDirectly: (path) => readDirectly(shell, path),
	};
}

export default defineBench({
	operation: "read_file in docker",
	floor: "read_file on this machine",
	samples: 60,
	target: 2,

	async open() {
		const sessions = await openSessions("docker");
		return {
			operation: () => readPage(placeOf(sessions.relayed), request),
			floor: () => readPage(placeOf(sessions.local), request),
			[Symbol.asyncDispose]: () => sessions[Symbol.asyncDispose](),
		};
	},
});
