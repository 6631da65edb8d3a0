/** What benches of file sync share: a tree of small files, a home on another machine, and the programs that people use. */

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../lib/environments/backend.ts";
import { withRelay } from "../lib/environments/relay/relay-sandbox.ts";
import { runToEnd } from "../lib/environments/shell/run-to-end.ts";
import ssh from "../lib/environments/ssh/index.ts";
import { settings } from "../lib/environments/ssh/settings.ts";
import { createFileSync } from "../lib/environments/sync/file-sync.ts";

/** The tree, and two ways to bring it there. Each brings it to where nothing is yet. */
export interface SyncedPlace extends AsyncDisposable {
	push(): Promise<unknown>;
	runClient(program: "rsync" | "scp"): Promise<unknown>;
}

const { signal } = new AbortController();
const fileCount = 5_000;
const perFolder = 50;

/** 5,000 files of 1.5 KB in 150 folders, a day old. */
export function fillTree(folder: string): void {
	const yesterday = Date.now() / 1000 - 86_400;
	for (let index = 0; index < fileCount; index++) {
		const skill = join(folder, `skill-${Math.floor(index / perFolder)}`);
		const inside = index % 2 === 0 ? skill : join(skill, "references");
		mkdirSync(inside, { recursive: true });
		const path = join(inside, `${index}.md`);
		writeFileSync(path, `line ${index} of a skill\n`.repeat(70).slice(0, 1_500));
		utimesSync(path, yesterday, yesterday);
	}
}

function service(name: string): string {
	const value = process.env[`HERMES_TEST_SSH_${name}`];
	if (value) return value;
	throw new Error(
		`Cannot measure file sync: HERMES_TEST_SSH_${name} is not set; scripts/test-services.sh start prints it`,
	);
}

/** Opens everything. */
export async function openFileSync(): Promise<SyncedPlace> {
	await using opened = new AsyncDisposableStack();
	const home = mkdtempSync(join(tmpdir(), "hermes-bench-"));
	opened.defer(() => rmSync(home, { recursive: true, force: true }));
	const skills = join(home, "skills");
	fillTree(skills);
	const config = join(home, "config");
	writeFileSync(config, `UserKnownHostsFile ${service("KNOWN_HOSTS")}\nControlPath ${home}/master\n`);
	const sandbox = opened.use(await openSandbox(home, config));
	const far = (await runToEnd(sandbox, ["mktemp", "-d"], { signal })).output.toString("utf8").trim();
	opened.defer(async () => void (await runToEnd(sandbox, ["rm", "-rf", far], { signal })));
	const client = clientOf(config);
	// Our own connection is open too.
	await run([...client, "-M", "-N", "-f", destination()]);
	opened.defer(async () => void (await run([...client, "-O", "exit", destination()])));
	let count = 0;
	const kept = opened.move();
	return {
		push: async () => {
			const place = inHome(sandbox, `${far}/${++count}`);
			const sources = () => ({ files: [], trees: [{ from: skills, to: "skills", comesBack: false }] });
			const outcome = await createFileSync(place, { home, userHome: home, sources, onWarning: refuse }).push(signal);
			if (outcome.is !== "pushed" || outcome.sent.length !== fileCount) throw new Error("the push is not whole");
		},
		runClient: (program) => {
			const target = `${destination()}:${far}/${++count}`;
			if (program === "rsync") return run(["rsync", "-a", "-e", client.join(" "), `${skills}/`, `${target}/`]);
			return run(["scp", "-q", "-r", "-F", config, "-P", service("PORT"), "-i", service("KEY"), skills, target]);
		},
		[Symbol.asyncDispose]: () => kept.disposeAsync(),
	};
}

function refuse(line: string): never {
	throw new Error(line);
}

async function openSandbox(home: string, config: string): Promise<Sandbox> {
	const options = {
		ssh_host: service("HOST"),
		ssh_port: Number(service("PORT")),
		ssh_user: service("USER"),
		ssh_key: service("KEY"),
		ssh_config_file: config,
	};
	const hostEnvironment = { HOME: home, PATH: process.env.PATH ?? "" };
	const plain = await ssh.open(settings.parse(options), { signal, taskId: "bench", home, hostEnvironment });
	return withRelay(plain, { signal, onFallback: refuse });
}

/** Every push goes to a home of its own. */
function inHome(sandbox: Sandbox, home: string): Sandbox {
	return {
		ranOn: sandbox.ranOn,
		helper: sandbox.helper,
		start: (argv, options) => sandbox.start(argv, { ...options, env: { ...options.env, HOME: home } }),
		[Symbol.asyncDispose]: async () => undefined,
	};
}

function destination(): string {
	return `${service("USER")}@${service("HOST")}`;
}

function clientOf(config: string): string[] {
	return ["ssh", "-F", config, "-p", service("PORT"), "-i", service("KEY"), "-o", "BatchMode=yes"];
}

/** @throws {Error} When the program is missing or fails: nothing that failed is a measure. */
async function run(words: readonly string[]): Promise<void> {
	const code = await Bun.spawn([...words], { stdio: ["ignore", "ignore", "ignore"] }).exited;
	if (code !== 0) throw new Error(`Cannot measure "${words[0]}": exit code ${code}`);
}
