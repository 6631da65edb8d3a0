/** The user's own messages before each conversation. */

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { prefillMessages } from "../../lib/cli/runtime/prefill.ts";
import { loadConfig } from "../../lib/config/load.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("prefillMessages() reads a file of examples, and refuses one that is missing or holds something else", async () => {
	using home = temporaryFolder();
	const read = async (named: string, content?: string) => {
		if (content !== undefined) writeFileSync(join(home.path, named), content);
		const variables = { HERMES_PREFILL_MESSAGES_FILE: named };
		const environment = { home: home.path, hermesHome: home.path };
		return prefillMessages({ environment }, await loadConfig({ home: home.path, variables }));
	};
	expect(await read("")).toEqual([]);
	expect(await read("few.json", '\ufeff[{"role": "user", "content": "hi"}]')).toEqual([
		{ role: "user", content: "hi" },
	]);
	expect(read("none.json")).rejects.toThrow('"none.json": there is no file');
	for (const content of ["[", "{}", '[{"role": "system", "content": "x"}]', '[{"role": "user", "content": ""}]'])
		expect(read("bad.json", content)).rejects.toThrow('"bad.json": expected a JSON list');
});
