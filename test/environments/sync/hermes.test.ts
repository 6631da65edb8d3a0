/** Sync as the users of hermes meet it: settings, warnings, interruption, two runs at once. */

import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { serviceVariable } from "../../support/required-service.ts";
import { runHermes, startHermes } from "../../support/run-hermes.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { hasSsh, openSsh, saidBy } from "../ssh/ssh-service.ts";
import { put, textOf } from "./far-place.ts";

setDefaultTimeout(120_000);

/** Names of this run: the account over there is shared. */
const mark = `test-${crypto.randomUUID().slice(0, 8)}`;

/** A home with a document of that name. */
function openHome(name: string) {
	const folder = temporaryFolder();
	const home = folder.path;
	put(join(home, ".ssh/known_hosts"), textOf(serviceVariable("HERMES_TEST_SSH_KNOWN_HOSTS")) ?? "");
	put(join(home, `.hermes/cache/documents/${name}`), "ours", 3600);
	return {
		home,
		document: join(home, `.hermes/cache/documents/${name}`),
		[Symbol.dispose]: () => folder[Symbol.dispose](),
	};
}

function env() {
	return {
		TERMINAL_SSH_HOST: serviceVariable("HERMES_TEST_SSH_HOST"),
		TERMINAL_SSH_PORT: serviceVariable("HERMES_TEST_SSH_PORT"),
		TERMINAL_SSH_USER: serviceVariable("HERMES_TEST_SSH_USER"),
		TERMINAL_SSH_KEY: serviceVariable("HERMES_TEST_SSH_KEY"),
	};
}

const exec = (command: string) => ["exec", "--backend", "ssh", command];

describe.skipIf(!(await hasSsh()))("hermes on ssh", () => {
	afterAll(async () => {
		await using place = await openSsh();
		await saidBy(
			place.sandbox,
			`rm -rf ~/.hermes/cache/*/${mark}* ~/.hermes/skills/${mark}* ~/.hermes/${mark}*; rm -f ~/.hermes/.sync/*`,
		);
	});

	test.concurrent("copies what commands need, brings their documents back, and says which credentials it could not copy", async () => {
		const name = `${mark}-1.txt`;
		using place = openHome(name);
		put(join(place.home, ".hermes/skills", mark, "SKILL.md"), "skill");
		put(join(place.home, ".hermes", `${mark}.json`), "token");
		put(join(place.home, ".hermes/config.yaml"), `terminal:\n  credential_files: [${mark}.json, ../x.json]\n`);
		const command = `cd ~/.hermes; cat skills/${mark}/SKILL.md ${mark}.json; stat -c %a ${mark}.json; echo changed >cache/documents/${name}; echo evil >config.yaml.${mark}`;
		const ran = await runHermes(exec(command), { home: place.home, env: env() });
		expect(ran).toEqual({
			stdout: "skilltoken600\n",
			stderr: 'hermes: terminal.credential_files: "../x.json" is not copied: it is not below HERMES_HOME\n',
			exitCode: 0,
		});
		expect(textOf(place.document)).toBe("changed\n");
		expect(readdirSync(join(place.home, ".hermes/skills"))).toEqual([mark]);
	});

	test.concurrent("brings nothing back when told not to", async () => {
		const name = `${mark}-2.txt`;
		using place = openHome(name);
		put(join(place.home, ".hermes/config.yaml"), "terminal:\n  sync_back: false\n");
		await runHermes(exec(`echo changed >~/.hermes/cache/documents/${name}`), { home: place.home, env: env() });
		expect(textOf(place.document)).toBe("ours");
	});

	test.concurrent("Ctrl-C while files come back: they come whole, and then it ends", async () => {
		const name = `${mark}-3.bin`;
		using place = openHome(name);
		const bytes = 30_000_000;
		const hermes = startHermes(exec(`head -c ${bytes} /dev/urandom >~/.hermes/cache/documents/${name}; echo made`), {
			home: place.home,
			env: env(),
		});
		await hermes.shows("made");
		while (!existsSync(join(place.home, ".hermes/sync-back"))) await Bun.sleep(2);
		hermes.kill("SIGINT");
		const { exitCode } = await hermes.ended;
		expect({ exitCode, size: statSync(place.document).size }).toEqual({ exitCode: 0, size: bytes });
		expect(existsSync(join(place.home, ".hermes/sync-back"))).toBe(false);
	});

	test.concurrent("two runs that change the same document at once leave whole versions, whoever was first", async () => {
		const name = `${mark}-4.txt`;
		using place = openHome(name);
		const texts = ["one", "two"];
		const runs = texts.map((text) => exec(`sleep 1; echo ${text} >~/.hermes/cache/documents/${name}`));
		const ended = await Promise.all(runs.map((run) => runHermes(run, { home: place.home, env: env() })));
		expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
		const folder = join(place.home, ".hermes/cache/documents");
		const names = readdirSync(folder).filter((file) => file.startsWith(name));
		const contents = names.map((file) => textOf(join(folder, file))?.trim() ?? "");
		expect(texts).toContain(textOf(place.document)?.trim() ?? "");
		for (const content of contents) expect([...texts, "ours"]).toContain(content);
	});

	test.concurrent("a push that fails is one line for the user and one for the model; the command runs", async () => {
		const name = `${mark}-5.txt`;
		using place = openHome(name);
		put(join(place.home, ".hermes/skills", `${mark}-blocked`), "a file");
		const call = (command: string) => [
			"tools",
			"call",
			"--yolo",
			"--backend",
			"ssh",
			"terminal",
			JSON.stringify({ command }),
		];
		// A folder of somebody over there stands where the file should be.
		await using far = await openSsh();
		await saidBy(far.sandbox, `mkdir -p ~/.hermes/skills/${mark}-blocked/deep`);
		const { stdout, stderr } = await runHermes(call("echo ran"), { home: place.home, env: env() });
		const answer = JSON.parse(stdout);
		const warning = expect.stringMatching(
			/^sync warning: files of this machine were not copied to ssh:\S+ \(.*director.*\); commands see/,
		);
		expect({ output: answer.output, notice: answer.notice }).toEqual({ output: "ran", notice: warning });
		expect(stderr.trim().split("\n")).toEqual([expect.stringMatching(/^hermes: sync warning: /)]);
	});
});
