/** The file tools say where they ran. */

import { expect, test } from "bun:test";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openToolSession } from "../support/tool-session.ts";

test.each([
	{ tool: "write_file", args: { path: "place.txt", content: "x" }, refused: { path: "/dev/null/x", content: "" } },
	{ tool: "read_file", args: { path: "place.txt" }, refused: { path: "/dev/null/nowhere" } },
	{
		tool: "patch",
		args: { path: "place.txt", old_string: "x", new_string: "y" },
		refused: { path: "place.txt", old_string: "z", new_string: "y" },
	},
	{ tool: "search_files", args: { pattern: "place" }, refused: { pattern: "x", path: "/dev/null/nowhere" } },
])("$tool says where it ran, also when it fails", async ({ tool, args, refused }) => {
	using folder = temporaryFolder();
	await using session = await openToolSession(folder.path);
	await session.call("write_file", { path: "place.txt", content: "x" });
	const answer = await session.call(tool, args);
	const failure = await session.call(tool, refused);
	expect([answer.ran_on, answer.error, failure.ran_on, typeof failure.error]).toEqual([
		"local",
		undefined,
		"local",
		"string",
	]);
});
