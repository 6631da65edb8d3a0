/** The output of a running call, line by line under the line that names the call. */

import type { Output } from "../output.ts";
import { type Paint, printable } from "./paint.ts";

/** Lines shown of one call; the model gets all of them. */
const shownLines = 40;

/** Shows one call's output as it arrives. */
export interface LiveOutput {
	add(text: string): void;
	/** Shows a last line that has no end, and how many lines were not shown. */
	end(): void;
}

/** Whole lines only, so that the lines of parallel calls never mix. */
export function createLiveOutput(output: Output, paint: Paint): LiveOutput {
	let rest = "";
	let lines = 0;
	const show = (line: string) => {
		lines += 1;
		// Of a progress bar only what it last drew.
		const drawn = line.replace(/\r$/, "").split("\r").at(-1) ?? "";
		if (lines <= shownLines) output.write(`  ${paint("dim", `│ ${printable(drawn)}`)}\n`);
	};
	return {
		add(text) {
			const parts = (rest + text).split("\n");
			rest = parts.pop() ?? "";
			for (const line of parts) show(line);
		},
		end() {
			if (rest !== "") show(rest);
			if (lines > shownLines) output.write(`  ${paint("dim", `│ … ${lines - shownLines} more lines`)}\n`);
		},
	};
}
