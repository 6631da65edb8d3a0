/** The log as the settings want it. */

import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../lib/config/load.ts";
import { openLog } from "../../lib/log/open-log.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("openLog() takes level, size and number of files from the settings, and masks 30 planted secrets", async () => {
	using home = temporaryFolder();
	const secrets = Array.from({ length: 30 }, (_, index) => `planted-secret-${index}-value`);
	const env = secrets.slice(0, 15).map((secret, index) => `SERVICE_${index}_TOKEN=${secret}\n`);
	const servers = secrets.slice(15).map((secret, index) => `s${index}: {env: {API_KEY: ${secret}}}`);
	const logging = "logging: {level: DEBUG, max_size_mb: 0.001, backup_count: 1}";
	writeFileSync(join(home.path, ".env"), env.join(""), { mode: 0o600 });
	writeFileSync(join(home.path, "config.yaml"), `${logging}\nmcp_servers: {${servers.join(", ")}}\n`);
	const config = await loadConfig({ home: home.path, variables: {} });
	{
		using log = openLog(home.path, config);
		for (const secret of secrets) {
			log.debug(`the server answered: wrong key ${secret}`, new Error(`https://h/${secret}/x`));
			log.flush();
		}
	}
	const folder = join(home.path, "logs");
	const files = readdirSync(folder).filter((name) => !name.endsWith(".lock"));
	const text = files.map((name) => readFileSync(join(folder, name), "utf8")).join("");
	expect(files.sort()).toEqual(["agent.log", "agent.log.1"]);
	expect(text).toContain(" DEBUG hermes: the server answered: wrong key plante...alue");
	expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
});
