/** Who is let in, where, and what a user is told who is not. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BackendUnavailable, type UserQuestion } from "../../../lib/environments/backend.ts";
import ssh from "../../../lib/environments/ssh/index.ts";
import { settings } from "../../../lib/environments/ssh/settings.ts";
import { serviceVariable } from "../../support/required-service.ts";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { type PrivateSshd, privateSshd } from "./private-sshd.ts";
import { hasSsh, openSsh, type SshOptions, type SshPlace, saidBy, serviceAccount } from "./ssh-service.ts";
import { tcpProxy } from "./tcp-proxy.ts";

/** Why a sandbox cannot be opened. */
async function refusal(options: SshOptions): Promise<string> {
	try {
		await using _place = await openSsh(options);
		return "";
	} catch (cause) {
		expect(cause).toBeInstanceOf(BackendUnavailable);
		return cause instanceof Error ? cause.message : String(cause);
	}
}

/** A user who gives these answers, one after the other. */
function person(...answers: readonly (string | undefined)[]) {
	const questions: UserQuestion[] = [];
	const askUser = async (question: UserQuestion) => {
		questions.push(question);
		return answers[questions.length - 1];
	};
	return { questions, context: { askUser } };
}

const limitMs = 30_000;

describe.skipIf(!(await hasSsh()))("ssh", () => {
	let server: PrivateSshd;
	beforeAll(async () => {
		server = await privateSshd();
	}, limitMs);
	afterAll(() => server[Symbol.asyncDispose](), limitMs);

	const locked = () => ({ ...serviceAccount(), key: serviceVariable("HERMES_TEST_SSH_LOCKED_KEY") });
	const passphrase = () => serviceVariable("HERMES_TEST_SSH_LOCKED_KEY_PASSPHRASE");
	const byPassword = () => ({
		...serviceAccount(),
		port: Number(serviceVariable("HERMES_TEST_SSH_PASSWORD_PORT")),
		key: "",
	});

	test("open() asks for the passphrase of a key, again when it was wrong", async () => {
		const user = person("wrong", passphrase());
		await using place = await openSsh({ account: locked(), context: user.context });
		expect(await saidBy(place.sandbox, "whoami")).toBe("sshuser\n");
		expect(user.questions).toEqual(Array(2).fill({ text: `Passphrase of ${locked().key}: `, isSecret: true }));
	});

	test("open() says that a key is encrypted when nobody can be asked", async () => {
		const why = await refusal({ account: locked() });
		expect(why).toContain(`${locked().key} is encrypted and nobody is here to ask for its passphrase`);
		expect(why).toContain("the server takes publickey");
	});

	test("open() answers keyboard-interactive through the user, once, also for many programs at once", async () => {
		const user = person("wrong", serviceVariable("HERMES_TEST_SSH_PASSWORD"));
		await using place = await openSsh({ account: byPassword(), context: user.context });
		const outputs = await Promise.all(Array.from({ length: 12 }, () => saidBy(place.sandbox, "sleep 0.1; whoami")));
		expect(outputs).toEqual(Array(12).fill("sshuser\n"));
		expect(user.questions.map(({ isSecret }) => isSecret)).toEqual([true, true]);
		expect(user.questions[0]?.text).toContain("Password: ");
	});

	test("open() says what the server wants when the user declines or nobody is there", async () => {
		expect(await refusal({ account: byPassword(), context: person().context })).toContain("keyboard-interactive");
		expect(await refusal({ account: byPassword() })).toContain("nobody is here to answer the server's questions");
	});

	test("open() does not count the time a person needs to answer", async () => {
		const askUser = async () => {
			await Bun.sleep(1_500);
			return serviceVariable("HERMES_TEST_SSH_PASSWORD");
		};
		await using place = await openSsh({
			account: byPassword(),
			context: { askUser },
			settings: { ssh_connect_timeout: 1 },
		});
		expect(await saidBy(place.sandbox, "whoami")).toBe("sshuser\n");
	});

	test("open() uses the agent, only with the named keys where IdentitiesOnly says so", async () => {
		using folder = temporaryFolder();
		const socket = join(folder.path, "agent");
		const key = join(folder.path, "key");
		copyFileSync(serviceAccount().key, key);
		const env = { PATH: "/usr/bin:/bin", SSH_AUTH_SOCK: socket };
		const agent = Bun.spawn(["ssh-agent", "-D", "-a", socket], { env, stdout: "ignore" });
		try {
			while (
				!(await Bun.file(socket)
					.stat()
					.catch(() => undefined))
			)
				await Bun.sleep(10);
			await runProgram(["ssh-add", key], { cwd: "/", env });
			await runProgram(["rm", key], { cwd: "/", env });
			const account = { ...serviceAccount(), key: "" };
			const config = `UserKnownHostsFile ${account.knownHosts}\nIdentityAgent ${socket}\n`;
			await using place = await openSsh({ account, config });
			expect(await saidBy(place.sandbox, "whoami")).toBe("sshuser\n");
			const only = `${config}IdentitiesOnly yes\nIdentityFile ${key}\n`;
			expect(await refusal({ account, config: only })).toContain("the login was refused");
			copyFileSync(`${serviceAccount().key}.pub`, `${key}.pub`);
			await using named = await openSsh({ account, config: only });
			expect(await saidBy(named.sandbox, "whoami")).toBe("sshuser\n");
		} finally {
			agent.kill();
		}
	});

	test("open() remembers a new host, and refuses it when its key has changed", async () => {
		await server.configure("");
		using folder = temporaryFolder();
		const knownHosts = join(folder.path, "known_hosts");
		const account = { ...server.account, knownHosts };
		await using place = await openSsh({ account });
		expect({ told: place.told.length, lines: readFileSync(knownHosts, "utf8").split("\n").length }).toEqual({
			told: 1,
			lines: 2,
		});
		await using again = await openSsh({ account });
		expect(again.told).toEqual([]);
		await server.changeHostKey();
		const why = await refusal({ account });
		expect(why).toMatch(/its key has changed: it shows ssh-ed25519 SHA256:\S+, but \S+:1 has ssh-ed25519 SHA256:\S+;/);
		expect(new Set(why.match(/SHA256:[\w+/]+/g)).size).toBe(2);
		expect(saidBy(again.sandbox, "whoami")).rejects.toThrow("its key has changed");
		expect(await refusal({ account, settings: { ssh_transport: "openssh" } })).toMatch(
			/HOST IDENTIFICATION HAS CHANGED/,
		);
	});

	test("open() asks the server for the type of key that is known", async () => {
		const rsa = readFileSync(serviceAccount().knownHosts, "utf8")
			.split("\n")
			.filter((line) => line.includes("ssh-rsa"));
		using folder = temporaryFolder();
		const knownHosts = join(folder.path, "known_hosts");
		writeFileSync(knownHosts, `${rsa.join("\n")}\n`);
		await using place = await openSsh({ account: { ...serviceAccount(), knownHosts } });
		expect(place.told).toEqual([]);
	});

	test("open() goes through the hosts of ProxyJump", async () => {
		await server.configure("");
		const gate = server;
		const { port, user, key, knownHosts } = serviceAccount();
		const config = [
			`Host box\nHostName 127.0.0.1\nPort ${port}\nUser ${user}\nProxyJump gate`,
			`Host gate\nHostName 127.0.0.1\nPort ${gate.account.port}\nUser root\nIdentityFile ${gate.account.key}`,
			`UserKnownHostsFile ${gate.account.knownHosts}\nHost *\nUserKnownHostsFile ${knownHosts}`,
		].join("\n");
		const account = { ...serviceAccount(), host: "box", port: 22, user: "", key };
		for (const ssh_transport of ["builtin", "openssh"] as const) {
			await using place = await openSsh({ account, config, settings: { ssh_transport } });
			expect(await saidBy(place.sandbox, "whoami")).toBe("sshuser\n");
		}
		await using place = await openSsh({ account, config });
		await gate.kill();
		expect(saidBy(place.sandbox, "whoami")).rejects.toThrow(`Cannot connect to "root@127.0.0.1:${gate.account.port}"`);
	});

	test("open() needs no ssh program, and names the setting when it is told to use one", async () => {
		const hostEnvironment = { HOME: "/nonexistent", PATH: "/nonexistent", USER: "me" };
		await using place = await openSsh({ context: { hostEnvironment } });
		expect(await saidBy(place.sandbox, "whoami")).toBe("sshuser\n");
		const config = settings.parse({ ssh_host: "box", ssh_transport: "openssh" });
		const why = "there is no ssh on PATH; install an ssh client or set it to builtin, which needs none";
		expect(await ssh.available(config, hostEnvironment)).toContain(why);
		expect(await refusal({ context: { hostEnvironment }, settings: { ssh_transport: "openssh" } })).toContain(why);
		expect(await ssh.available(settings.parse({}), {})).toBe("terminal.ssh_host is not set");
	});

	test("open() says where it could not connect", async () => {
		const account = { ...serviceAccount(), port: 1 };
		expect(await refusal({ account })).toBe(
			'Cannot connect to "sshuser@127.0.0.1:1" over ssh: 127.0.0.1 port 1 cannot be reached: ECONNREFUSED',
		);
		expect(await refusal({ account, settings: { ssh_transport: "openssh" } })).toContain("Connection refused");
	});

	test("open() gives a silent server up in time, and a later attempt stays connected", async () => {
		await using proxy = await tcpProxy(serviceAccount().port, { silent: 1 });
		const options = { account: { ...serviceAccount(), port: proxy.port }, settings: { ssh_connect_timeout: 0.5 } };
		const config = "UserKnownHostsFile ~/known_hosts\n";
		expect(await refusal({ ...options, config })).toContain("no answer within 0.5 s (terminal.ssh_connect_timeout)");
		// On a busy machine, one that is not silent may need longer.
		let seconds = 0.5;
		const open = (): Promise<SshPlace> =>
			openSsh({ ...options, config, settings: { ssh_connect_timeout: seconds } }).catch((cause: unknown) => {
				seconds *= 3;
				if (seconds > 20) throw cause;
				return open();
			});
		await using place = await open();
		await Bun.sleep(seconds * 1_000 + 100);
		expect(await saidBy(place.sandbox, "whoami")).toBe("sshuser\n");
	});

	test("open() can be interrupted", async () => {
		await using proxy = await tcpProxy(serviceAccount().port, { silent: 9 });
		const controller = new AbortController();
		const opening = openSsh({
			account: { ...serviceAccount(), port: proxy.port },
			context: { signal: controller.signal },
		});
		setTimeout(() => controller.abort(), 100);
		await expect(opening).rejects.toThrow("aborted");
	});

	test("open() says what a login shell says that runs nothing", async () => {
		await server.configure('ForceCommand echo "This account is not available."; exit 1');
		expect(await refusal({ account: server.account })).toContain("This account is not available.");
	});

	test("start() leaves out what the login shell's own files say", async () => {
		await server.configure(`ForceCommand echo noise; echo more noise >&2; eval "$SSH_ORIGINAL_COMMAND"`);
		for (const ssh_transport of ["builtin", "openssh"] as const) {
			await using place = await openSsh({ account: server.account, settings: { ssh_transport } });
			expect(await saidBy(place.sandbox, "echo clean; echo error >&2")).toBe("clean\nerror\n");
		}
	});

	test("start() makes more connections where a server allows one session each", async () => {
		await server.configure("MaxSessions 1");
		for (const ssh_transport of ["builtin", "openssh"] as const) {
			await using place = await openSsh({ account: server.account, settings: { ssh_transport } });
			const outputs = await Promise.all(
				[1, 2, 3, 4].map((number) => saidBy(place.sandbox, `sleep 0.2; echo ${number}`)),
			);
			expect(outputs).toEqual(["1\n", "2\n", "3\n", "4\n"]);
		}
	});

	test("open() keeps the sockets of the ssh program where nobody else can reach them", async () => {
		using folder = temporaryFolder();
		mkdirSync(join(folder.path, "hermes-ssh"), { mode: 0o755 });
		const hostEnvironment = { HOME: folder.path, PATH: process.env.PATH ?? "", XDG_RUNTIME_DIR: folder.path };
		await using place = await openSsh({ settings: { ssh_transport: "openssh" }, context: { hostEnvironment } });
		expect(await saidBy(place.sandbox, "whoami")).toBe("sshuser\n");
		const { stdout } = await runProgram(["ls", "-A", join(folder.path, "hermes-ssh")], {
			cwd: "/",
			env: { PATH: "/bin" },
		});
		expect(stdout).toBe("");
	});
});
