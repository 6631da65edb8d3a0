/** The machines that an executable is built for. */

import { nearestName } from "../lib/base/nearest-name.ts";

/** One kind of machine. */
export interface Target {
	/** `linux-x64-musl`; without a C library's name it is the system's usual one. */
	readonly name: string;
	/** Bun's name for it. */
	readonly compileTarget: Bun.Build.CompileTarget;
	/** The executable's name in `dist/`. */
	readonly file: string;
	/** Nobody has run the executable on such a machine yet. */
	readonly isExperimental: boolean;
}

/** Every target, in the order in which they are built. */
export const targets: readonly Target[] = [
	target("linux-x64", "bun-linux-x64"),
	target("linux-arm64", "bun-linux-arm64"),
	target("linux-x64-musl", "bun-linux-x64-musl"),
	target("linux-arm64-musl", "bun-linux-arm64-musl"),
	experimental("darwin-arm64", "bun-darwin-arm64"),
	experimental("darwin-x64", "bun-darwin-x64"),
	experimental("windows-x64", "bun-windows-x64"),
	experimental("windows-arm64", "bun-windows-arm64"),
];

/**
 * The target of that name.
 * @throws {Error} With the nearest name.
 */
export function targetNamed(name: string): Target {
	const found = targets.find((each) => each.name === name);
	if (found !== undefined) return found;
	const names = targets.map((each) => each.name);
	const near = nearestName(name, names);
	const advice = near === undefined ? `there is ${names.join(", ")}` : `did you mean "${near}"?`;
	throw new Error(`Cannot build for "${name}": unknown target; ${advice}`);
}

function target(name: string, compileTarget: Bun.Build.CompileTarget): Target {
	const extension = name.startsWith("windows") ? ".exe" : "";
	return { name, compileTarget, file: `hermes-${name}${extension}`, isExperimental: false };
}

function experimental(name: string, compileTarget: Bun.Build.CompileTarget): Target {
	return { ...target(name, compileTarget), isExperimental: true };
}
