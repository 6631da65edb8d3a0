/** Where a vendor's gateway is, and whose token it gets. */

import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentToken, findGateway, type ToolGateway } from "../../lib/config/tool-gateway.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function gatewayOf(vendor: string, variables: Record<string, string>, home = "/nonexistent"): ToolGateway {
	const found = findGateway(vendor, { variables, home });
	if (typeof found === "string") throw new Error(found);
	return found;
}

/** A HERMES_HOME with these files. */
function homeWith(files: Readonly<Record<string, string>>): { readonly path: string } & Disposable {
	const folder = temporaryFolder();
	mkdirSync(folder.path, { recursive: true });
	for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text, { mode: 0o600 });
	return folder;
}

const login = (access_token: string, expires_at?: unknown) =>
	JSON.stringify({ providers: { nous: { access_token, expires_at } } });

describe("findGateway()", () => {
	test.each([
		["modal", {}, "https://modal-gateway.nousresearch.com"],
		["modal", { TOOL_GATEWAY_DOMAIN: "example.org" }, "https://modal-gateway.example.org"],
		[
			"firecrawl",
			{ TOOL_GATEWAY_SCHEME: "http", TOOL_GATEWAY_DOMAIN: "localhost:80" },
			"http://firecrawl-gateway.localhost:80",
		],
		["modal", { MODAL_GATEWAY_URL: "http://127.0.0.1:1/", TOOL_GATEWAY_DOMAIN: "x" }, "http://127.0.0.1:1"],
		["browser-use", { BROWSER_USE_GATEWAY_URL: "https://a.b/c" }, "https://a.b/c"],
		["modal", { FIRECRAWL_GATEWAY_URL: "https://a.b" }, "https://modal-gateway.nousresearch.com"],
	])("names the gateway of %s with %p", (vendor, variables, url) => {
		expect(gatewayOf(vendor, variables as Record<string, string>).url).toBe(url);
	});

	test("reads .env of HERMES_HOME where the environment says nothing", () => {
		using home = homeWith({ ".env": "MODAL_GATEWAY_URL=http://here:1\nTOOL_GATEWAY_USER_TOKEN=secret\n" });
		const gateway = gatewayOf("modal", {}, home.path);
		expect({ url: gateway.url, token: gateway.peekToken() }).toEqual({
			url: "http://here:1",
			token: { value: "secret", source: "TOOL_GATEWAY_USER_TOKEN", expiresAtMs: undefined },
		});
		expect(gatewayOf("modal", { MODAL_GATEWAY_URL: "http://there:1" }, home.path).url).toBe("http://there:1");
	});

	test.each([
		[{ MODAL_GATEWAY_URL: "ftp://a.b" }, "MODAL_GATEWAY_URL"],
		[{ MODAL_GATEWAY_URL: "nonsense" }, "MODAL_GATEWAY_URL"],
		[{ MODAL_GATEWAY_URL: "https://user:word@a.b" }, "MODAL_GATEWAY_URL"],
		[{ TOOL_GATEWAY_SCHEME: "file" }, "TOOL_GATEWAY_SCHEME or TOOL_GATEWAY_DOMAIN"],
	])("says which setting cannot be used: %p", (variables, name) => {
		expect(findGateway("modal", { variables: variables as Record<string, string>, home: "/nonexistent" })).toBe(
			`the address of the modal gateway cannot be used (${name}): it has to be like https://modal-gateway.nousresearch.com`,
		);
	});
});

describe("peekToken()", () => {
	test("takes the variable before the login, and tells when a login ends", () => {
		using home = homeWith({ "auth.json": login("from-file", "2030-01-01T00:00:00Z") });
		const file = join(home.path, "auth.json");
		expect(gatewayOf("modal", {}, home.path).peekToken()).toEqual({
			value: "from-file",
			source: file,
			expiresAtMs: Date.parse("2030-01-01T00:00:00Z"),
		});
		const given = gatewayOf("modal", { TOOL_GATEWAY_USER_TOKEN: "given" }, home.path).peekToken();
		expect(given).toEqual({ value: "given", source: "TOOL_GATEWAY_USER_TOKEN", expiresAtMs: undefined });
	});

	test("says which variable or file is missing, and repeats nothing of a broken file", () => {
		using empty = homeWith({});
		using broken = homeWith({ "auth.json": '{"providers": {"nous": {"access_token": "hidden"' });
		const missing = (home: string) =>
			`there is no token for the modal gateway: set TOOL_GATEWAY_USER_TOKEN, or log in to Nous, which writes ${join(home, "auth.json")}`;
		expect([empty.path, broken.path].map((home) => gatewayOf("modal", {}, home).peekToken())).toEqual([
			missing(empty.path),
			`${missing(broken.path)} (the file has no login of Nous in it now)`,
		]);
	});
});

describe("currentToken()", () => {
	const inSeconds = (seconds: number) => Date.now() / 1000 + seconds;

	test.each([
		[60, "new"],
		[-3600, "new"],
		[600, "old"],
	])("exchanges a token that ends in %p s: %s", async (seconds, wanted) => {
		using home = homeWith({ "auth.json": login("old", inSeconds(seconds)) });
		const refresh = async () => writeFileSync(join(home.path, "auth.json"), login("new"));
		const token = await currentToken(gatewayOf("modal", {}, home.path), refresh);
		expect(token).toMatchObject({ value: wanted });
	});

	test("sends a token that has ended by our clock when nobody can exchange it", async () => {
		using home = homeWith({ "auth.json": login("old", inSeconds(-3600)) });
		expect(await currentToken(gatewayOf("modal", {}, home.path))).toMatchObject({ value: "old" });
	});
});
