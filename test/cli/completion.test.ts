/** Completion scripts in the shells they are for. A shell that is not installed is said and skipped. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../lib/store/database.ts";
import { hermesEnvironment, hermesProgram, runHermes } from "../support/run-hermes.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

const path = process.env.PATH ?? "";

/** The script for `shell`, in a file of its own. */
async function scriptFor(shell: string, folder: string): Promise<string> {
	const { stdout, exitCode } = await runHermes(["completion", shell], { home: folder });
	expect(exitCode).toBe(0);
	const file = join(folder, `complete.${shell}`);
	writeFileSync(file, stdout);
	return file;
}

describe("hermes completion", () => {
	test("hermes completion bash asks hermes for what changes: profiles, sessions, servers, plug-ins", async () => {
		using folder = temporaryFolder();
		const home = folder.path;
		const file = await scriptFor("bash", home);
		await runHermes(["profile", "create", "work"], { home });
		await runHermes(["mcp", "add", "files", "some-server"], { home });
		{
			using store = openStore(join(home, ".hermes/state.db"));
			store.createSession({ id: "20260101_000000_abcdef", source: "cli" });
			store.appendMessage("20260101_000000_abcdef", { role: "user", content: "hello" });
		}
		mkdirSync(join(home, ".hermes/plugins/weather"), { recursive: true });
		const ask = ["-p wo", "profile use d", "sessions show 2026", "--resume 2026", "mcp remove fi", "plugins enable we"];
		const program = `. "$1"; shift; run=("$@")
hermes() { "\${run[@]}" "$@"; }
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _hermes; echo "\${COMPREPLY[*]}"; }
${ask.map((typed) => `ask hermes ${typed}`).join("\n")}\n`;
		const words = ["bash", "--norc", "-c", program, "bash", file, ...hermesProgram()];
		const { stdout, stderr } = await runProgram(words, { cwd: home, env: hermesEnvironment({ home }) });
		expect({ stdout: stdout.split("\n"), stderr }).toEqual({
			stdout: ["work", "default", "20260101_000000_abcdef", "20260101_000000_abcdef", "files", "weather", ""],
			stderr: "",
		});
	});

	test("hermes completion bash completes subcommands, verbs, flags and their values", async () => {
		using folder = temporaryFolder();
		const file = await scriptFor("bash", folder.path);
		const cases = [
			"con",
			"config s",
			"config --",
			"logs --le",
			"tools call --yo",
			"chat --output st",
			"--provider x config g",
			"chat -q chat --rec",
			"nothing --ver",
			"tools call pa",
			"tools schema search",
			"tools call patch pa",
			"tools call --backend ssh pa",
			"tools enable fil",
			'completion ""',
			"logs er",
			"config get agent.max_tu",
			"config set terminal.back",
			"config set terminal.backend terminal.back",
			"exec --backend do",
			"selfcheck do",
			"--provider ca",
			"chat -t debu",
			"help con",
		];
		const ask = cases.map((typed) => `ask hermes ${typed}`).join("\n");
		const program = `. "$1"\nask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _hermes; echo "\${COMPREPLY[*]}"; }\n${ask}\n`;
		const { stdout, stderr } = await runProgram(["bash", "--norc", "-c", program, "bash", file], {
			cwd: folder.path,
			env: { PATH: path },
		});
		expect(stderr).toBe("");
		const shown = stdout.split("\n").slice(0, -1);
		expect(shown.map((words, index) => [cases[index], words])).toEqual([
			["con", "config"],
			["config s", "show set"],
			["config --", "--provider --model --base-url --backend --toolsets --yolo --profile --help"],
			["logs --le", "--level"],
			["tools call --yo", "--yolo"],
			["chat --output st", "stream-json"],
			["--provider x config g", "get"],
			["chat -q chat --rec", "--record"],
			["nothing --ver", "--version"],
			["tools call pa", "patch"],
			["tools schema search", "search_files"],
			["tools call patch pa", ""],
			["tools call --backend ssh pa", "patch"],
			["tools enable fil", "file"],
			['completion ""', "bash zsh fish --words -p --profile -h --help"],
			["logs er", "errors"],
			["config get agent.max_tu", "agent.max_turns"],
			["config set terminal.back", "terminal.backend"],
			["config set terminal.backend terminal.back", ""],
			["exec --backend do", "docker"],
			["selfcheck do", "docker"],
			["--provider ca", "cassette"],
			["chat -t debu", "debugging"],
			["help con", "config"],
		]);
	}, 20_000);

	test("hermes completion bash names every subcommand that there is", async () => {
		using folder = temporaryFolder();
		const script = await runHermes(["completion", "bash"], { home: folder.path });
		const help = await runHermes(["--help"], { home: folder.path });
		const [, listed = ""] = help.stdout.split("Commands:");
		const names = [...listed.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name ?? "");
		const [, words = ""] = /""\) words='([^']*)'/.exec(script.stdout) ?? [];
		expect(names.length).toBeGreaterThan(5);
		expect(names.filter((name) => !words.split(" ").includes(name))).toEqual([]);
	}, 20_000);

	for (const shell of ["zsh", "fish"]) {
		test.skipIf(!Bun.which(shell))(
			`hermes completion ${shell} is a script that ${shell} can read`,
			async () => {
				using folder = temporaryFolder();
				const file = await scriptFor(shell, folder.path);
				const env = { PATH: path, HOME: folder.path };
				expect(await runProgram([shell, "-n", file], { cwd: folder.path, env })).toEqual({
					stdout: "",
					stderr: "",
					exitCode: 0,
				});
			},
			20_000,
		);
	}

	test.skipIf(!Bun.which("fish"))(
		"hermes completion fish completes subcommands, verbs and values",
		async () => {
			using folder = temporaryFolder();
			const file = await scriptFor("fish", folder.path);
			const program = `source ${file}; for typed in 'hermes con' 'hermes config s' 'hermes chat --output st' 'hermes -q x logs --le' 'hermes tools call pa' 'hermes tools call patch pa' 'hermes exec --backend do' 'hermes config get agent.max_tu'; complete -C $typed | string replace -r '\\t.*' '' | string join ' '; end`;
			const { stdout } = await runProgram(["fish", "--no-config", "-c", program], {
				cwd: folder.path,
				env: { PATH: path, HOME: folder.path },
			});
			expect(stdout).toBe("config\nset show\nstream-json\n--level\npatch\ndocker\nagent.max_turns\n");
		},
		20_000,
	);

	test("hermes completion of another shell is refused in one line", async () => {
		using folder = temporaryFolder();
		expect(await runHermes(["completion", "tcsh"], { home: folder.path })).toEqual({
			stdout: "",
			stderr: 'hermes: Cannot complete for "tcsh": there is bash, zsh, fish\n',
			exitCode: 2,
		});
	});
});
