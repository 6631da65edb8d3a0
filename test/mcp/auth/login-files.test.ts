/** loginFiles(): each server has files of its own, whatever its name. */

import { expect, test } from "bun:test";
import { loginFiles } from "../../../lib/mcp/auth/login-files.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test("loginFiles() gives no two names one login, though a file cannot have every name", () => {
	using home = temporaryFolder();
	const long = "n".repeat(200);
	const names = ["a.b", "a_b", "a b", "_a_b", "a/b", "../a_b", "", "server", "a_b~1", long, `${long}x`];
	const at = (name: string) => loginFiles(home.path, { name, url: "https://mcp.example/mcp" });
	for (const name of names) at(name).saveTokens({ access_token: `of ${name}`, token_type: "Bearer" });
	expect(names.map((name) => at(name).tokens()?.access_token)).toEqual(names.map((name) => `of ${name}`));
	at("a.b").forget("everything");
	expect([at("a.b").tokens(), at("a_b").tokens()?.access_token]).toEqual([undefined, "of a_b"]);
});
