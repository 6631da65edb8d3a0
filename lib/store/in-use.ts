/** Whether some process has a database open: one that keeps it open while the file is replaced would write into the old one. */

import { existsSync, readFileSync, statSync } from "node:fs";

/** SQLite's locks show it, where the kernel lists locks (Linux); elsewhere the answer is always no. */
export function isInUse(path: string): boolean {
	if (!existsSync("/proc/locks")) return false;
	const { ino, dev } = statSync(path);
	const hex = (number: number) => number.toString(16).padStart(2, "0");
	// How Linux packs the two numbers of a device into one.
	const device = `${hex((dev >>> 8) & 0xfff)}:${hex((dev & 0xff) | ((dev >>> 12) & 0xfff00))}`;
	return readFileSync("/proc/locks", "utf8")
		.split("\n")
		.some((line) => line.includes(` ${device}:${ino} `));
}
