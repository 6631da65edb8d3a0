/** The script that starts the test services: what it prints, what it refuses, and that it stops what it started. */
import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const script = join(import.meta.dir, "../../scripts/test-services.sh");
const folder = await mkdtemp(join(tmpdir(), "hermes-services-"));

// Only where nothing has to be installed first: a test run is no moment for apt-get.
const hasSshd = process.getuid?.() === 0 && (await Bun.file("/usr/sbin/sshd").exists()) && Bun.which("ssh") !== null;
if (!hasSshd) process.stderr.write("test-services.sh start is not tested: it needs root, sshd and ssh\n");

const run = async (argv: readonly string[]) => {
	const child = Bun.spawn([...argv], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
	const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
	return { code: await child.exited, stdout, stderr };
};

afterAll(async () => {
	if (hasSshd) await run([script, "stop", folder]);
	await rm(folder, { recursive: true, force: true });
});

test.each([
	["an unknown action", [script, "restart"], "usage: "],
	["an unknown service", [script, "start", "--only", "telnetd"], 'Cannot run the test services: "telnetd" is none of'],
])("test-services.sh exits with 2 and prints nothing on stdout when given %s", async (_case, argv, message) => {
	const { code, stdout, stderr } = await run(argv);
	expect({ code, stdout, explained: stderr.startsWith(message) }).toEqual({ code: 2, stdout: "", explained: true });
});

test.skipIf(process.getuid?.() !== 0 || Bun.which("setpriv") === null)(
	"test-services.sh exits with 2 when not run by root",
	async () => {
		const asNobody = ["setpriv", "--reuid", "65534", "--clear-groups", "bash", "-s", "start"];
		const child = Bun.spawn(asNobody, { stdin: Bun.file(script), stdout: "pipe", stderr: "pipe" });
		const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
		expect({ code: await child.exited, stdout, stderr }).toEqual({
			code: 2,
			stdout: "",
			stderr: "Cannot run the test services: they need root, this is uid 65534\n",
		});
	},
);

test.skipIf(!hasSshd)(
	"test-services.sh starts a private sshd once, for two users, and stops it",
	async () => {
		const [first, second] = [
			await run([script, "start", "--only", "sshd", folder]),
			await run([script, "start", "--only", "sshd", folder]),
		];
		expect({ code: first.code, stdout: first.stdout }).toEqual({ code: second.code, stdout: second.stdout });
		expect(first.stdout.split("\n").filter((line) => line !== "" && !/^[A-Z][A-Z0-9_]*=\S+$/.test(line))).toEqual([]);

		const env = Object.fromEntries(first.stdout.split("\n").map((line) => line.split("=", 2)));
		const login = (user: string) =>
			run([
				...["ssh", "-F", "none", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes"],
				...["-o", `UserKnownHostsFile=${env.HERMES_TEST_SSH_KNOWN_HOSTS}`, "-i", env.HERMES_TEST_SSH_KEY],
				...["-p", env.HERMES_TEST_SSH_PORT, `${user}@${env.HERMES_TEST_SSH_HOST}`, "id -un"],
			]);
		expect((await login(env.HERMES_TEST_SSH_USER)).stdout).toBe("sshuser\n");
		expect((await login(env.HERMES_TEST_SSH_ROOT_USER)).stdout).toBe("root\n");

		await run([script, "stop", "--only", "sshd", folder]);
		expect((await run([script, "status", "--only", "sshd", folder])).stdout).toBe("sshd=stopped\n");
		expect((await login("root")).code).toBe(255);
	},
	60_000,
);
