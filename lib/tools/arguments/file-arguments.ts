/** Arguments that the file tools share. */

import { posix } from "node:path";
import { z } from "zod";
import { programText } from "./program-text.ts";

/** A path as the sandbox sees it. */
export const filePath = programText("a path").describe("Absolute, relative to the current folder, or beginning with ~");

/** Says that a file which looks like the wrong one is meant. */
export const crossProfile = z
	.boolean()
	.default(false)
	.describe("Only when a call was refused because the file belongs to another profile or to the home of a sandbox");

/** The path a user is asked about: absolute where that is known without looking. */
export function askedPath(path: string, cwd: string): string {
	return path.startsWith("~") ? path : posix.resolve(cwd, path);
}

/** A whole number that is moved into its range instead of being refused; what is no number becomes the default. */
export function clamped(range: { readonly min: number; readonly max?: number; readonly default: number }) {
	const { min, max = Number.MAX_SAFE_INTEGER } = range;
	return z
		.int()
		.default(range.default)
		.catch(range.default)
		.transform((value) => Math.min(Math.max(value, min), max));
}
