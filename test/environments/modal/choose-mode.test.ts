/** Whose Modal account is used, and what is said when none can be. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chooseMode } from "../../../lib/environments/modal/choose-mode.ts";
import { findAccount } from "../../../lib/environments/modal/credentials.ts";
import modal from "../../../lib/environments/modal/index.ts";
import { settings } from "../../../lib/environments/modal/settings.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const noToken = "there is no Modal token";
const noGateway = "there is no token for the gateway";

describe("chooseMode()", () => {
	const choices = [
		{ mode: "auto", direct: true, managed: true, chosen: { use: "managed" } },
		{ mode: "auto", direct: true, managed: noGateway, chosen: { use: "direct" } },
		{ mode: "direct", direct: true, managed: true, chosen: { use: "direct" } },
		{ mode: "direct", direct: noToken, managed: true, chosen: { use: "none", reason: noToken } },
		{ mode: "managed", direct: true, managed: noGateway, chosen: { use: "none", reason: noGateway } },
		{
			mode: "auto",
			direct: noToken,
			managed: noGateway,
			chosen: { use: "none", reason: `${noToken}; and the tool gateway cannot be used: ${noGateway}` },
		},
	] as const;
	test.each(choices.map((choice) => ({ ...choice, name: `${choice.mode}, ${choice.direct}, ${choice.managed}` })))(
		"takes what can be used and never another than was named: $name",
		async ({ mode, direct, managed, chosen }) => {
			expect(await chooseMode({ mode, direct: () => direct, managed: async () => managed })).toEqual(chosen);
		},
	);

	test("is asked for auto when the setting is nothing that is known", () => {
		expect(settings.parse({ modal_mode: "whatever" }).modal_mode).toBe("auto");
	});
});

describe("findAccount()", () => {
	const file = (folder: string) => join(folder, ".modal.toml");
	const profile = '[work]\ntoken_id = "ak-1"\ntoken_secret = "as-1"\nenvironment = "dev"\n\n';
	const active = '[home]\ntoken_id = "ak-2"\ntoken_secret = "as-2"\nserver_url = "http://127.0.0.1:1"\nactive = true\n';

	test("takes the active profile of the file, the named one, or the variables", () => {
		using home = temporaryFolder();
		writeFileSync(file(home.path), profile + active);
		const HOME = home.path;
		const source = file(home.path);
		expect(findAccount({ HOME })).toEqual({
			tokenId: "ak-2",
			tokenSecret: "as-2",
			serverUrl: "http://127.0.0.1:1",
			environment: "",
			source,
		});
		const usual = "https://api.modal.com:443";
		expect(findAccount({ HOME, MODAL_PROFILE: "work" })).toEqual({
			tokenId: "ak-1",
			tokenSecret: "as-1",
			serverUrl: usual,
			environment: "dev",
			source,
		});
		expect(findAccount({ HOME: "/nonexistent", MODAL_TOKEN_ID: "ak", MODAL_TOKEN_SECRET: "as" })).toEqual({
			tokenId: "ak",
			tokenSecret: "as",
			serverUrl: usual,
			environment: "",
			source: "MODAL_TOKEN_ID",
		});
	});

	test("says in one sentence what is missing, without a secret", () => {
		using home = temporaryFolder();
		const HOME = home.path;
		const path = file(HOME);
		expect(findAccount({ HOME })).toBe(
			`there is no Modal token: set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or let "modal token new" write ${path}`,
		);
		expect(findAccount({ HOME, MODAL_TOKEN_ID: "ak" })).toBe(
			`half of the Modal token is missing: MODAL_TOKEN_ID is set, but MODAL_TOKEN_SECRET is neither set nor in ${path}`,
		);
		writeFileSync(path, '[work]\ntoken_secret = "as-secret\n');
		expect(findAccount({ HOME })).toBe(
			`${path} is no configuration of Modal; mend it, or set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET`,
		);
	});

	test("is asked before anything is opened", async () => {
		using home = temporaryFolder();
		const verdict = await modal.available(settings.parse({ modal_mode: "direct" }), { HOME: home.path });
		expect(verdict).toStartWith("there is no Modal token: set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET");
	});
});
