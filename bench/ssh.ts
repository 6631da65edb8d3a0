/** A command that does nothing, in a session over ssh, against the ssh program with a shared connection. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute } from "../lib/environments/shell/execute.ts";
import { openShell } from "../lib/environments/shell/shell.ts";
import ssh from "../lib/environments/ssh/index.ts";
import { settings } from "../lib/environments/ssh/settings.ts";
import { defineBench } from "./bench.ts";

/** What `scripts/test-services.sh start` prints. */
function service(name: string): string {
	const value = process.env[`HERMES_TEST_SSH_${name}`];
	if (value) return value;
	throw new Error(`Cannot measure ssh: HERMES_TEST_SSH_${name} is not set; scripts/test-services.sh start prints it`);
}

export default defineBench({
	operation: 'execute("true") over ssh',
	floor: "ssh HOST true, with ControlMaster",
	samples: 100,
	target: 0.7,

	async open() {
		const { signal } = new AbortController();
		await using opened = new AsyncDisposableStack();
		const home = mkdtempSync(join(tmpdir(), "hermes-bench-"));
		opened.defer(() => rmSync(home, { recursive: true, force: true }));
		const config = join(home, "config");
		writeFileSync(config, `UserKnownHostsFile ${service("KNOWN_HOSTS")}\nControlPath ${home}/master\n`);
		const [host, port, user, key] = [service("HOST"), service("PORT"), service("USER"), service("KEY")];
		const client = ["ssh", "-F", config, "-p", port, "-i", key, "-o", "BatchMode=yes", `${user}@${host}`];
		const run = (...words: string[]) =>
			Bun.spawn([...client.slice(0, -1), ...words], { stdin: "ignore", stdout: "pipe", stderr: "ignore" }).exited;
		await run("-M", "-N", "-f", `${user}@${host}`);
		opened.defer(async () => void (await run("-O", "exit", host)));
		const sandbox = opened.use(
			await ssh.open(
				settings.parse({
					ssh_host: host,
					ssh_port: Number(port),
					ssh_user: user,
					ssh_key: key,
					ssh_config_file: config,
				}),
				{ signal, taskId: "bench", home, hostEnvironment: { HOME: home, PATH: process.env.PATH ?? "" } },
			),
		);
		const shell = opened.use(await openShell({ sandbox, files: "sync", cwd: "", environment: {}, signal }));
		const kept = opened.move();
		return {
			operation: () => execute(shell, "true", { signal }),
			floor: () => run(`${user}@${host}`, "true"),
			[Symbol.asyncDispose]: () => kept.disposeAsync(),
		};
	},
});
