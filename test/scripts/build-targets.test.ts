/** Building for other machines: names, checksums, and a network that does not answer. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { withFetchedBase } from "../../scripts/build-targets.ts";
import { writeChecksums } from "../../scripts/checksums.ts";
import { targetNamed, targets } from "../../scripts/targets.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const script = join(import.meta.dir, "../../scripts/build-binary.ts");

/** What Bun throws when it cannot fetch its program for another machine. */
const notFetched = new AggregateError([new Error("Failed to download 'bun-x-v1': ConnectionRefused")], "Bundle failed");

describe("targetNamed()", () => {
	test("gives every target by its name", () => {
		expect(targets.map(({ name }) => targetNamed(name))).toEqual([...targets]);
	});

	test.each([
		["linux-x65", 'Cannot build for "linux-x65": unknown target; did you mean "linux-x64"?'],
		["bun-linux-x64", 'Cannot build for "bun-linux-x64": unknown target; did you mean "linux-x64"?'],
		["amiga", `Cannot build for "amiga": unknown target; there is ${targets.map(({ name }) => name).join(", ")}`],
	])("refuses %s", (name, message) => {
		expect(() => targetNamed(name)).toThrow(message);
	});
});

describe("withFetchedBase()", () => {
	/** A build that fails in these ways, one after the other, and then succeeds. */
	const failing = (...failures: readonly Error[]) => {
		let calls = 0;
		const build = async () => {
			const failure = failures[calls++];
			if (failure !== undefined) throw failure;
		};
		return { build, calls: () => calls };
	};

	test("tries once more when the network stumbled", async () => {
		const { build, calls } = failing(notFetched);
		await withFetchedBase("x", build);
		expect(calls()).toBe(2);
	});

	test("says what was missing when it stumbled twice", async () => {
		const { build, calls } = failing(notFetched, notFetched);
		await expect(withFetchedBase("darwin-x64", build)).rejects.toThrow(
			'Cannot build for "darwin-x64": bun-x-v1 was not to be had from the package registry (ConnectionRefused); once fetched it stays in Bun\'s cache',
		);
		expect(calls()).toBe(2);
	});

	test("passes on every other failure at once", async () => {
		const { build, calls } = failing(new Error("Syntax error"));
		await expect(withFetchedBase("x", build)).rejects.toThrow("Syntax error");
		expect(calls()).toBe(1);
	});
});

describe("build-binary.ts", () => {
	test("says in one line that a base cannot be fetched", async () => {
		using folder = temporaryFolder();
		const { stdout, stderr, exitCode } = await runProgram([process.execPath, script, "--target", "darwin-x64"], {
			cwd: folder.path,
			env: {
				HOME: folder.path,
				PATH: process.env.PATH ?? "",
				BUN_INSTALL_CACHE_DIR: join(folder.path, "cache"),
				// Nothing listens there.
				HTTPS_PROXY: "http://127.0.0.1:1",
			},
		});
		expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
		expect(stderr).toMatch(
			/^Error: Cannot build for "darwin-x64": bun-darwin-x64-\S+ was not to be had from the package registry \(\w+\); .*\n$/,
		);
	}, 60_000);
});

describe("writeChecksums()", () => {
	test("writes what sha256sum -c accepts, of the files that are there", async () => {
		using folder = temporaryFolder();
		await Bun.write(join(folder.path, "a"), "one");
		await Bun.write(join(folder.path, "b"), new Uint8Array(300_000));
		await writeChecksums(folder.path, ["b", "missing", "a"]);
		const { stdout, exitCode } = await runProgram(["sha256sum", "-c", "SHA256SUMS"], {
			cwd: folder.path,
			env: { PATH: process.env.PATH ?? "", LC_ALL: "C" },
		});
		expect({ stdout, exitCode }).toEqual({ stdout: "b: OK\na: OK\n", exitCode: 0 });
	});
});
