/** Fences of macOS, by sandbox-exec. Written from the documentation of its profiles; no macOS was there to try it on. */

import { existsSync } from "node:fs";
import type { FenceBuilder, FencePlan } from "./fence.ts";

const program = "/usr/bin/sandbox-exec";
/** Devices that every program writes to. */
const devices = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper"];

/** A fence of seatbelt. */
export function seatbelt(plan: FencePlan): FenceBuilder {
	const profile = seatbeltProfile(plan);
	return {
		missing: existsSync(program) ? undefined : `${program} is not there; nothing runs without it`,
		wrap: (argv) => [program, "-p", profile, ...argv],
	};
}

/** The profile: later rules beat earlier ones. */
export function seatbeltProfile({ kind, writable, readOnly }: FencePlan): string {
	const subpaths = (paths: readonly string[]) => paths.map((path) => `(subpath ${quoted(path)})`).join(" ");
	const inner = writable.filter((path) => readOnly.some((outer) => path.startsWith(`${outer}/`)));
	return [
		"(version 1)",
		"(allow default)",
		"(deny file-write*)",
		`(allow file-write* ${devices.map((path) => `(literal ${quoted(path)})`).join(" ")} (regex #"^/dev/fd/") ${subpaths(writable)})`,
		...(readOnly.length > 0 ? [`(deny file-write* ${subpaths(readOnly)})`] : []),
		...(inner.length > 0 ? [`(allow file-write* ${subpaths(inner)})`] : []),
		...(kind === "full" ? ["(deny network*)"] : []),
	].join("\n");
}

function quoted(path: string): string {
	return `"${path.replace(/["\\]/g, String.raw`\$&`)}"`;
}
