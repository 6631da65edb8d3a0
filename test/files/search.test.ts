/** What a search leaves out, its order, and its end when it takes too long: the same with ripgrep and without. */

import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import type { FilePlace } from "../../lib/files/place.ts";
import { type Found, type SearchRequest, search } from "../../lib/files/search.ts";
import { sharedToolSession } from "../support/shared-tool-session.ts";

const shared = sharedToolSession();

describe.each(["auto", "grep"] as const)("search() with program %s", (program) => {
	const isMissing = program === "auto" && Bun.which("rg") === null;
	const found = async (request: Partial<SearchRequest>): Promise<Found> => {
		const usual = {
			mode: "content",
			pattern: "",
			path: ".",
			glob: undefined,
			wanted: 1_000,
			context: 0,
			program,
		} as const;
		const answer = await search(shared.session.context, { ...usual, ...request });
		if (!answer.ok) throw new Error(answer.error);
		return answer;
	};

	test.skipIf(isMissing)("leaves out what .gitignore names, in repositories, below and above", async () => {
		const made: Readonly<Record<string, string>> = {
			"repo/.gitignore": "build/\n*.log\n!keep.log\n/top\n",
			"repo/sub/.gitignore": "!build/\nlocal/\n",
			"repo/.git/info/exclude": "excluded.ts\n",
			"repo/.ignore": "own.ts\n",
			"norepo/.gitignore": "a.ts\n",
			"norepo/.ignore": "b.ts\n",
			"norepo/inner/.git/HEAD": "",
			"norepo/inner/.gitignore": "c.ts\n",
		};
		const shown = ["repo/keep.log", "repo/sub/build/z.ts", "repo/sub/top/t.ts", "repo/sub/a.ts", "norepo/a.ts"];
		const hidden = ["repo/build/x.ts", "repo/a.log", "repo/top/t.ts", "repo/sub/local/l.ts", "repo/sub/x/b.log"];
		const hiddenToo = [
			"repo/excluded.ts",
			"repo/sub/own.ts",
			"norepo/b.ts",
			"norepo/inner/c.ts",
			"repo/deep/build/d.ts",
		];
		for (const [name, text] of Object.entries(made)) await Bun.write(join(shared.folder.path, "ign", name), text);
		for (const name of [...shown, ...hidden, ...hiddenToo])
			await Bun.write(join(shared.folder.path, "ign", name), "ignite\n");
		const expected = shown.toSorted();
		const files = async (path: string, mode: SearchRequest["mode"]) =>
			(await found({ pattern: "ignite", path, mode })).records.map((record) => record.path).toSorted();
		expect({
			content: await files("ign", "content"),
			names: (await files("ign", "names")).toSorted(),
			files: await files("ign", "files_only"),
			below: await files("ign/repo/sub", "count"),
			asked: await files("ign/repo/build", "content"),
		}).toEqual({
			content: expected,
			names: expected,
			files: expected,
			below: ["a.ts", "build/z.ts", "top/t.ts"],
			asked: ["x.ts"],
		});
	});

	test.skipIf(isMissing)("gives the same order however much there is to find", async () => {
		const names = Array.from(
			{ length: 40 },
			(_, index) => `order/${"zyxab"[index % 5]}${index % 3 === 0 ? "/" : "."}f${index}.txt`,
		);
		for (const name of names) await Bun.write(join(shared.folder.path, name), `${"common\n".repeat(60)}rare\n`);
		const paths = async (pattern: string, mode: SearchRequest["mode"]) => [
			...new Set((await found({ pattern, path: "order", mode, wanted: 3_000 })).records.map(({ path }) => path)),
		];
		const [few, many, counted] = await Promise.all([
			paths("rare", "content"),
			paths("common", "content"),
			paths("rare", "count"),
		]);
		expect(few).toHaveLength(40);
		expect(many).toEqual(few);
		expect(counted).toEqual(few);
	});

	test.skipIf(isMissing)("that takes too long ends with what it has found", async () => {
		const slow = join(shared.folder.path, "slow-bin");
		for (const name of ["rg", "find", "grep"]) {
			const text = "./src/a.ts\\0002:beta one\\n";
			const slowly = `case "$*" in *beta*) printf '${text}'; exec sleep 30 ;; esac\nexec ${Bun.which(name)} "$@"\n`;
			await Bun.write(join(slow, name), `#!/bin/sh\n${slowly}`);
			chmodSync(join(slow, name), 0o755);
		}
		const place: FilePlace = {
			execute: (command, options) =>
				shared.session.context.execute(command.replace("PATH=/usr/bin:", `PATH=${slow}:/usr/bin:`), options),
		};
		const answer = await search(place, {
			mode: "content",
			pattern: "beta",
			path: ".",
			glob: undefined,
			wanted: 10,
			context: 0,
			program,
			seconds: 1,
		});
		expect(answer).toMatchObject({ ok: true, timedOut: true, records: [{ path: "src/a.ts", rest: "2:beta one" }] });
	});
});
