/** Errors of the operating system in words. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { systemReason } from "../../lib/base/system-reason.ts";

function failure(path: string): unknown {
	try {
		return readFileSync(path);
	} catch (cause) {
		return cause;
	}
}

test("systemReason() words what the system said, and knows nothing about other errors", () => {
	expect([
		systemReason(failure("/")),
		systemReason(failure("/dev/null/x")),
		systemReason(failure(`/${"x".repeat(300)}`)),
		systemReason(Object.assign(new Error("odd"), { code: "EODD" })),
		systemReason(new Error("plain")),
		systemReason("text"),
	]).toEqual(["it is a folder", "a part of the path is a file", "the name is too long", "EODD", undefined, undefined]);
});
