/** A replaced file is the old one or the new one, whatever happens on the way. */

import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/base/atomic-write.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const writer = join(import.meta.dir, "../support/file-writer.ts");

describe("writeFileAtomically()", () => {
	test("writeFileAtomically() gives a new file its mode, keeps that of an old one, and follows a link", () => {
		using folder = temporaryFolder();
		const at = (name: string) => join(folder.path, name);
		writeFileAtomically(at("new"), "1");
		writeFileAtomically(at("open"), "1", { newMode: 0o644 });
		writeFileSync(at("old"), "0");
		chmodSync(at("old"), 0o666);
		writeFileAtomically(at("old"), "1", { keptBits: 0o770 });
		symlinkSync(at("old"), at("link"));
		writeFileAtomically(at("link"), "2");
		expect(["new", "open", "old"].map((name) => statSync(at(name)).mode & 0o777)).toEqual([0o600, 0o644, 0o660]);
		expect([readFileSync(at("old"), "utf8"), readdirSync(folder.path).sort()]).toEqual([
			"2",
			["link", "new", "old", "open"],
		]);
	});

	test("writeFileAtomically() that fails changes nothing and leaves nothing behind", () => {
		using folder = temporaryFolder();
		mkdirSync(join(folder.path, "busy/inside"), { recursive: true });
		expect(() => writeFileAtomically(join(folder.path, "busy"), "1")).toThrow();
		expect(readdirSync(folder.path)).toEqual(["busy"]);
	});

	test.skipIf(!Bun.which("strace"))(
		"writeFileAtomically() killed at any system call (needs strace) leaves the old or the new file",
		async () => {
			using folder = temporaryFolder();
			const path = join(folder.path, "file");
			const trace = join(folder.path, "trace");
			const run = async (inject: readonly string[], content: string) => {
				const program = [process.execPath, writer, path, content];
				const child = Bun.spawn(["strace", "-f", "-qq", "-o", trace, ...inject, ...program], { stderr: "ignore" });
				return await child.exited;
			};
			writeFileSync(path, "old");
			let kills = 0;
			for (const [call, when] of [
				["fchmod", 1],
				["fsync", 1],
				["rename", 1],
				["fsync", 2],
			] as const) {
				const before = readFileSync(path, "utf8");
				const code = await run(["-e", `inject=${call}:signal=SIGKILL:when=${when}`], `new ${call} ${when}`);
				if (code !== 0) kills++;
				expect([before, `new ${call} ${when}`]).toContain(readFileSync(path, "utf8"));
			}
			expect(kills).toBeGreaterThan(2);
			expect(await run(["-e", "trace=fsync,rename"], "last")).toBe(0);
			const calls = [...readFileSync(trace, "utf8").matchAll(/ (fsync|rename)\(/g)].map(([, call]) => call);
			// The content is on the disk before the name points to it, and the name before anybody is told.
			expect([readFileSync(path, "utf8"), calls]).toEqual(["last", ["fsync", "rename", "fsync"]]);
			expect(readdirSync(folder.path).sort()).toEqual(["file", "trace"]);
		},
		60_000,
	);
});
