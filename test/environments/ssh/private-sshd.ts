/** An sshd of one test's own, which it may kill and start again. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { type SshAccount, serviceAccount } from "./ssh-service.ts";

const service = join(import.meta.dir, "../../../scripts/test-services.sh");

/** A running sshd. Its state is in `folder`, removed with it. */
export interface PrivateSshd extends AsyncDisposable {
	readonly account: SshAccount;
	readonly folder: string;
	/** What it tells of itself, as KEY=VALUE. */
	readonly variables: ReadonlyMap<string, string>;
	/** Kills the listener and every connection with SIGKILL. */
	kill(): Promise<void>;
	/** Starts it again, at the same port with the same keys. */
	start(): Promise<void>;
	/** Starts it anew with its usual configuration and these lines. */
	configure(lines: string): Promise<void>;
	/** Starts it anew with another host key, which `configure` takes back. */
	changeHostKey(): Promise<void>;
}

/** Starts one. */
export async function privateSshd(): Promise<PrivateSshd> {
	// Its own user may not look into a 0700 folder, but reads its keys there.
	const folder = temporaryFolder();
	const run = async (...words: readonly string[]) => {
		const env = { PATH: process.env.PATH ?? "" };
		const ran = await runProgram(["bash", service, ...words, "--only", "sshd", folder.path], { cwd: "/", env });
		if (ran.exitCode !== 0) throw new Error(`Cannot ${words.join(" ")} an sshd: ${ran.stderr}`);
		return new Map(ran.stdout.split("\n").map((line) => [line.split("=")[0] ?? "", line.replace(/^[^=]*=/, "")]));
	};
	const variables = await run("start");
	const of = (name: string) => variables.get(`HERMES_TEST_SSH_${name}`) ?? "";
	const config = join(folder.path, "sshd/sshd_config");
	const usual = readFileSync(config, "utf8");
	const pid = () => readFileSync(join(folder.path, "sshd/sshd.pid"), "utf8").trim();
	const launch = async () => {
		await runProgram(["/usr/sbin/sshd", "-f", config, "-E", join(folder.path, "sshd/private.log")], {
			cwd: "/",
			env: {},
		});
		while (!(await answers(Number(of("PORT"))))) await Bun.sleep(10);
	};
	const kill = async () => {
		const script = `p=$(pgrep -P ${pid()}); kill -KILL ${pid()} $p $(for i in $p; do pgrep -P $i -x sshd; done)`;
		await runProgram(["sh", "-c", script], { cwd: "/", env: { PATH: "/usr/bin:/bin" } });
	};
	return {
		folder: folder.path,
		variables,
		account: { ...serviceAccount(), port: Number(of("PORT")), key: of("KEY"), knownHosts: of("KNOWN_HOSTS") },
		kill,
		start: launch,
		async configure(lines) {
			// The first value counts, so the new one comes first.
			await Bun.write(config, `${lines}\n${usual}`);
			await kill();
			await launch();
		},
		async changeHostKey() {
			const key = join(folder.path, "sshd/other_ed25519");
			const env = { PATH: "/usr/bin:/bin" };
			await runProgram(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], { cwd: "/", env });
			await Bun.write(config, usual.replace(/^HostKey \S+ed25519$/m, `HostKey ${key}`));
			await kill();
			await launch();
		},
		async [Symbol.asyncDispose]() {
			await kill();
			await run("stop");
			folder[Symbol.dispose]();
		},
	};
}

async function answers(port: number): Promise<boolean> {
	try {
		(await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } })).end();
		return true;
	} catch {
		return false;
	}
}
