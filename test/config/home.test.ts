/** HERMES_HOME: where it is, and what happens when it cannot be used. */

import { describe, expect, test } from "bun:test";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { environmentOf } from "../../lib/config/environment.ts";
import { ensureHermesHome, HermesHomeUnusable, resolveHermesHome } from "../../lib/config/home.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("resolveHermesHome()", () => {
	test.each([
		{ variables: { HOME: "/u" }, home: "/u/.hermes" },
		{ variables: { HOME: "/u", HERMES_HOME: "/data/h" }, home: "/data/h" },
		{ variables: { HOME: "/u", HERMES_HOME: "~/h" }, home: "/u/h" },
		{ variables: { HOME: "/u", HERMES_HOME: "~" }, home: "/u" },
		{ variables: { HOME: "/u", HERMES_HOME: "/data/h/" }, home: "/data/h" },
		{ variables: { HOME: "/u", HERMES_HOME: "  " }, home: "/u/.hermes" },
		{ variables: { HOME: "/u", HERMES_HOME: "h" }, home: join(process.cwd(), "h") },
	])("resolveHermesHome() gives $home for $variables", ({ variables, home }) => {
		expect(resolveHermesHome(variables)).toBe(home);
	});
});

describe("ensureHermesHome()", () => {
	test("ensureHermesHome() makes a folder for the user alone and leaves one that is there as it is", () => {
		using folder = temporaryFolder();
		const made = join(folder.path, "a/b");
		const shared = join(folder.path, "shared");
		mkdirSync(shared, { mode: 0o755 });
		ensureHermesHome(made);
		ensureHermesHome(shared);
		expect([made, shared].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o755]);
	});

	test.each([
		{ below: "file/home", state: "a part of the path is a file" },
		{ below: "file", state: "it is a file, not a folder" },
	])("ensureHermesHome() says in one line that $state", ({ below, state }) => {
		using folder = temporaryFolder();
		writeFileSync(join(folder.path, "file"), "");
		const path = join(folder.path, below);
		expect(() => ensureHermesHome(path)).toThrow(
			new HermesHomeUnusable(
				`Cannot write to HERMES_HOME "${path}": ${state}; set HERMES_HOME to a folder of your own`,
			),
		);
	});
});

describe("environmentOf()", () => {
	test("environmentOf() reads HERMES_YOLO_MODE and NO_COLOR", () => {
		const of = (variables: Record<string, string>) => {
			const { yolo, noColor } = environmentOf({ HOME: "/u", ...variables });
			return { yolo, noColor };
		};
		expect(of({})).toEqual({ yolo: false, noColor: false });
		expect(of({ HERMES_YOLO_MODE: "1", NO_COLOR: "1" })).toEqual({ yolo: true, noColor: true });
		expect(of({ HERMES_YOLO_MODE: "0", NO_COLOR: "" })).toEqual({ yolo: false, noColor: false });
	});
});
