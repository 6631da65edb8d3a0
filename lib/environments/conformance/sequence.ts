/** Cases that are a list of commands and what the last of them says. */

import { equal } from "./assertions.ts";
import type { ConformanceCase, Said } from "./conformance-case.ts";

/** Runs `commands` one after the other in one session; the last must say `wanted`. */
export function sequence(name: string, commands: readonly string[], wanted: Said): ConformanceCase {
	return {
		name,
		async run(_shell, { say }) {
			let last: Said | undefined;
			for (const command of commands) last = await say(command);
			equal(last, wanted);
		},
	};
}

/** Success with this output. */
export function says(output: string): Said {
	return { output, exitCode: 0 };
}
