/** The sshd of the test services, and sandboxes on it. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenContext, Running, Sandbox, StartOptions } from "../../../lib/environments/backend.ts";
import ssh from "../../../lib/environments/ssh/index.ts";
import { type SshSettings, settings } from "../../../lib/environments/ssh/settings.ts";
import { requireService, serviceVariable } from "../../support/required-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** An account to log in to. */
export interface SshAccount {
	readonly host: string;
	readonly port: number;
	readonly user: string;
	readonly key: string;
	readonly knownHosts: string;
}

/** The account that the script of the test services tells of. @throws {Error} When it has not been started. */
export function serviceAccount(): SshAccount {
	return {
		host: serviceVariable("HERMES_TEST_SSH_HOST"),
		port: Number(serviceVariable("HERMES_TEST_SSH_PORT")),
		user: serviceVariable("HERMES_TEST_SSH_USER"),
		key: serviceVariable("HERMES_TEST_SSH_KEY"),
		knownHosts: serviceVariable("HERMES_TEST_SSH_KNOWN_HOSTS"),
	};
}

/** Whether there is an sshd to test with: somebody must get in. */
export function hasSsh(): Promise<boolean> {
	return requireService("ssh", async () => {
		await using place = await openSsh();
		await said(place.sandbox, ["true"]);
	});
}

/** How a test differs from the usual sandbox. */
export interface SshOptions {
	readonly account?: SshAccount;
	readonly settings?: Partial<SshSettings>;
	/** Text of the ssh_config file; it knows the hosts of the test services when left out. */
	readonly config?: string;
	readonly context?: Partial<OpenContext>;
}

/** A sandbox with a home of its own on this side. */
export interface SshPlace extends AsyncDisposable {
	readonly sandbox: Sandbox;
	readonly home: string;
	/** Lines that were told to the user. */
	readonly told: readonly string[];
}

/** Opens the ssh backend. */
export async function openSsh(options: SshOptions = {}): Promise<SshPlace> {
	using opening = new DisposableStack();
	const home = opening.use(temporaryFolder()).path;
	const account = options.account ?? serviceAccount();
	const told: string[] = [];
	const config = join(home, "config");
	mkdirSync(join(home, ".ssh"), { mode: 0o700 });
	writeFileSync(config, options.config ?? `UserKnownHostsFile ${account.knownHosts}\n`);
	const sandbox = await ssh.open(
		settings.parse({
			ssh_host: account.host,
			ssh_port: account.port,
			ssh_user: account.user,
			ssh_key: account.key,
			ssh_config_file: config,
			...options.settings,
		}),
		{
			signal: new AbortController().signal,
			taskId: "test",
			home,
			hostEnvironment: { HOME: home, PATH: process.env.PATH ?? "", USER: "nobody" },
			onProgress: (line) => told.push(line),
			...options.context,
		},
	);
	const opened = opening.move();
	return {
		sandbox,
		home,
		told,
		async [Symbol.asyncDispose]() {
			await sandbox[Symbol.asyncDispose]();
			opened.dispose();
		},
	};
}

/** Starts a program with little said about it. */
export function start(
	sandbox: Sandbox,
	argv: readonly string[],
	options: Partial<StartOptions> = {},
): Promise<Running> {
	return sandbox.start(argv, { env: {}, cwd: "/", stdin: "none", signal: new AbortController().signal, ...options });
}

/** Output and exit code of a program that is waited for. */
export async function said(sandbox: Sandbox, argv: readonly string[], options: Partial<StartOptions> = {}) {
	const running = await start(sandbox, argv, options);
	const [output, exitCode] = await Promise.all([new Response(running.output).text(), running.exited]);
	return { output, exitCode };
}

/** What `bash -c` says to a script. */
export async function saidBy(sandbox: Sandbox, script: string, options: Partial<StartOptions> = {}): Promise<string> {
	return (await said(sandbox, ["bash", "-c", script], options)).output;
}
