/** Tests of the suggestion made for an unknown name. */

import { expect, test } from "bun:test";
import { nearestName } from "../../lib/base/nearest-name.ts";

const names = ["terminal", "read_file", "write_file", "patch", "search_files"];

test.each([
	["terminl", "terminal"],
	["Terminal", "terminal"],
	["raed_file", "read_file"],
	["wirte_file", "write_file"],
	["ptach", "patch"],
	["search_file", "search_files"],
	["browser", undefined],
	["", undefined],
	["x".repeat(5_000), undefined],
])("nearestName() answers %p with %p", (name, expected) => {
	expect(nearestName(name, names)).toBe(expected as string);
});

test("nearestName() takes the earlier of two equally near candidates", () => {
	expect(nearestName("cat", ["bat", "hat"])).toBe("bat");
});
