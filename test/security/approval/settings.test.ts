/** Consent in the configuration, and who may have written it. */

import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../../lib/config/load.ts";
import { savedApprovals } from "../../../lib/security/approval/saved-approvals.ts";
import { approvalSettings } from "../../../lib/security/approval/settings.ts";
import { modeOn, type Surface } from "../../../lib/security/approval/surface.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function settingsOf(home: string, yaml: string, mode = 0o600) {
	const path = join(home, "config.yaml");
	writeFileSync(path, yaml);
	chmodSync(path, mode);
	return approvalSettings(
		await loadConfig({ home, variables: {}, policy: { path: join(home, "none"), owner: 0 } }),
		home,
	);
}

const loose = [
	"approvals:\n  mode: off\n  headless: approve\n  cron_mode: approve\n  timeout: 5",
	"command_allowlist: [delete-recursive, git reset --hard, nonsense]",
	"delegation:\n  subagent_auto_approve: true\n",
].join("\n");

describe("approvalSettings()", () => {
	test("are strict by themselves", async () => {
		using home = temporaryFolder();
		expect(await settingsOf(home.path, "")).toEqual({
			mode: "manual",
			headless: "deny",
			cron: "deny",
			subagents: "deny",
			timeoutSeconds: 60,
			trusted: new Set(),
			warnings: [],
		});
	});

	test("are what the user has written", async () => {
		using home = temporaryFolder();
		expect(await settingsOf(home.path, loose)).toEqual({
			mode: "off",
			headless: "approve",
			cron: "approve",
			subagents: "approve",
			timeoutSeconds: 5,
			trusted: new Set(["delete-recursive", "git-reset-hard"] as const),
			warnings: [expect.stringContaining('"nonsense"')],
		});
	});

	test("do not loosen anything when every user can write the file", async () => {
		using home = temporaryFolder();
		const { warnings, ...settings } = await settingsOf(home.path, loose, 0o666);
		expect(settings).toEqual({
			mode: "manual",
			headless: "deny",
			cron: "deny",
			subagents: "deny",
			timeoutSeconds: 5,
			trusted: new Set(),
		});
		expect(warnings).toEqual([expect.stringMatching(/approvals\.mode.*do not count: every user can write/)]);
	});
});

describe("modeOn()", () => {
	const strict = { mode: "manual", headless: "deny", cron: "deny", subagents: "deny" } as const;
	test.each([
		["terminal", "ask"],
		["gateway", "ask"],
		["headless", "deny"],
		["api", "deny"],
		["cron", "deny"],
		["subagent", "deny"],
	] satisfies [Surface, string][])("R146: on %s is %s unless the user has said otherwise", (surface, mode) => {
		expect(modeOn(surface, strict, { isYolo: false })).toBe(mode as "ask");
		expect(modeOn(surface, strict, { isYolo: true })).toBe("yolo");
		expect(modeOn(surface, { ...strict, mode: "off" }, { isYolo: false })).toBe("yolo");
	});

	test("lets each surface be opened by its own setting only", () => {
		const at = (surface: Surface, more: object) => modeOn(surface, { ...strict, ...more }, { isYolo: false });
		expect([at("headless", { headless: "approve" }), at("api", { headless: "approve" })]).toEqual(["yolo", "yolo"]);
		expect([at("cron", { cron: "approve" }), at("cron", { headless: "approve" })]).toEqual(["yolo", "deny"]);
		expect([at("subagent", { subagents: "approve" }), at("subagent", { headless: "approve" })]).toEqual([
			"yolo",
			"deny",
		]);
	});
});

describe("savedApprovals()", () => {
	const key = (letter: string) => ({ key: letter.repeat(64), category: "git-clean" as const, subject: letter });

	test("are revoked by an id, by its beginning when it fits one, or all at once", async () => {
		using home = temporaryFolder();
		const saved = savedApprovals(home.path);
		await saved.add([key("a"), key("b"), key("c")], { place: "local" });
		await saved.add([key("a")], { place: "local" });
		expect(saved.list().map(({ id }) => id)).toEqual(["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"]);
		expect((await saved.revoke(["", "x", "bbb"])).map(({ subject }) => subject)).toEqual(["b"]);
		expect([saved.has(key("a").key), saved.has(key("b").key)]).toEqual([true, false]);
		expect(await saved.revoke("all")).toHaveLength(2);
		expect(saved.list()).toEqual([]);
	});

	test("lose nothing when several processes write at once", async () => {
		using home = temporaryFolder();
		const letters = [..."0123456789abcdef"];
		await Promise.all(letters.map((letter) => savedApprovals(home.path).add([key(letter)], { place: "local" })));
		expect(savedApprovals(home.path).list()).toHaveLength(16);
	});

	test.each([
		["is no JSON", "{", 0o600],
		["can be written by everybody", undefined, 0o666],
	])("count for nothing when the file %s", async (_why, text, mode) => {
		using home = temporaryFolder();
		const saved = savedApprovals(home.path);
		await saved.add([key("a")], { place: "local" });
		const path = join(home.path, "approvals.json");
		mkdirSync(home.path, { recursive: true });
		if (text !== undefined) writeFileSync(path, text);
		chmodSync(path, mode);
		expect(saved.list()).toEqual([]);
	});
});
