import { describe, expect, test } from "bun:test";
import { loadConfig } from "../../../lib/config/load.ts";
import { readUrlRules } from "../../../lib/security/url-safety/url-rules.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function rulesOf(config: string, files: Readonly<Record<string, string>> = {}, variable?: string) {
	using home = temporaryFolder();
	await Bun.write(`${home.path}/config.yaml`, config);
	for (const [name, text] of Object.entries(files)) await Bun.write(`${home.path}/${name}`, text);
	const variables = {
		HERMES_HOME: home.path,
		...(variable !== undefined && { HERMES_ALLOW_PRIVATE_URLS: variable }),
	};
	return readUrlRules(await loadConfig({ home: home.path, variables }));
}

describe("readUrlRules()", () => {
	test.each([
		["nothing", "", undefined, false],
		["the key", "security: {allow_private_urls: true}", undefined, true],
		["the variable", "", "true", true],
		["a variable that forbids what the key allows", "security: {allow_private_urls: true}", "false", false],
		["the browser's key", "browser: {allow_private_urls: true}", undefined, true],
		[
			"a key that forbids what the browser's allows",
			"{browser: {allow_private_urls: true}, security: {allow_private_urls: false}}",
			undefined,
			false,
		],
		["a variable that forbids what the browser's key allows", "browser: {allow_private_urls: true}", "0", false],
	] as const)("with %s", async (_, ...[config, variable, allowed]) => {
		expect((await rulesOf(config, {}, variable)).rules.allowPrivate).toBe(allowed);
	});

	test("allows nothing private without settings", () => {
		expect(readUrlRules(undefined)).toEqual({ rules: { allowPrivate: false, blockedSites: [] }, warnings: [] });
	});

	test("reads the blocked websites as people write them, and those of files", async () => {
		const list =
			"domains: [WWW.Bad.example, 'https://worse.example/path', '*.b\u00fccher.example', ''], shared_files: [more.txt]";
		const files = { "more.txt": "# comment\nthird.example # why\r\n\nbad.example\n" };
		const { rules, warnings } = await rulesOf(`security: {website_blocklist: {enabled: true, ${list}}}`, files);
		expect({ sites: rules.blockedSites, warnings }).toEqual({
			sites: ["bad.example", "worse.example", "*.xn--bcher-kva.example", "third.example"],
			warnings: [],
		});
	});

	test("blocks no website while the list is off", async () => {
		const { rules } = await rulesOf("security: {website_blocklist: {domains: [bad.example]}}");
		expect(rules.blockedSites).toEqual([]);
	});
});
