/** The C library that this process runs on. The only file that uses bun:ffi. */

import { readFileSync } from "node:fs";

type ForeignFunctions = Pick<typeof import("bun:ffi"), "dlopen" | "FFIType" | "ptr">;

/** What calls functions of a library, and which file the library is. */
export interface CLibrary extends ForeignFunctions {
	/** Absolute, because a name that the loader does not find is loaded from the current folder. */
	readonly path: string;
}

/** The C library; undefined where it cannot be found, as on Windows. */
export async function openCLibrary(): Promise<CLibrary | undefined> {
	const path = libraryPath();
	if (path === undefined) return undefined;
	const { dlopen, FFIType, ptr } = await import("bun:ffi");
	return { path, dlopen, FFIType, ptr };
}

function libraryPath(): string | undefined {
	if (process.platform === "darwin") return "/usr/lib/libSystem.B.dylib";
	if (process.platform !== "linux") return undefined;
	const mapped = readFileSync("/proc/self/maps", "latin1");
	return /\s(\/\S*\/(?:libc\.so\.6|libc-[\d.]+\.so|(?:ld-musl|libc\.musl)-[\w-]+\.so\.1))$/m.exec(mapped)?.[1];
}
