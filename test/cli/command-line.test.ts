/** Words on the command line: help, suggestions, and errors of usage. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { runInProcess } from "../support/command-line.ts";
import { runHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** Two ways through the real program; the rest of the table needs no process of its own. */
const endToEnd = ["-tui", "chta"];

async function hermes(...args: string[]) {
	using home = temporaryFolder();
	return await runHermes(args, { home: home.path });
}

async function inProcess(...args: string[]) {
	using home = temporaryFolder();
	return await runInProcess(args, home.path);
}

describe.concurrent("hermes --help", () => {
	test("hermes --help lists every subcommand with a summary, the common flags and the exit codes", async () => {
		const { stdout, stderr, exitCode } = await hermes("--help");
		expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
		for (const line of [
			/^ {2}chat .*Talk to the agent/m,
			/^ {2}demo .*Watch the agent/m,
			/^ {2}exec .*Run a command/m,
			/^ {2}tools .*List, describe and call/m,
			/--provider <P>/,
			/-m, --model <MODEL>/,
			/--base-url <U>/,
			/--backend <B>/,
			/-t, --toolsets <TOOLSETS>/,
			/--yolo/,
			/^ {2}130 {2}interrupted/m,
		]) {
			expect(stdout).toMatch(line);
		}
	});

	test.each([{ args: ["exec", "--help"] }, { args: ["help", "exec"] }, { args: ["exec", "-h"] }])(
		"hermes $args shows one help",
		async ({ args }) => {
			const { stdout, exitCode } = await hermes(...args);
			expect({ exitCode, usage: stdout.split("\n", 1)[0] }).toEqual({
				exitCode: 0,
				usage: "Usage: hermes exec [options] [COMMAND...]",
			});
		},
	);
});

describe.concurrent("hermes --version", () => {
	test.each([{ args: ["--version"] }, { args: ["-V"] }, { args: ["--yolo", "--version"] }])(
		"hermes $args prints one line",
		async ({ args }) => {
			const { stdout, stderr, exitCode } = await hermes(...args);
			expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
			expect(stdout).toMatch(/^hermes \d+\.\d+\.\d+[^\n]*\n$/);
		},
	);
});

describe.concurrent("a wrong command line", () => {
	test.each([
		{ args: ["chta", "-q", "hi"], said: 'Cannot run "hermes chta": unknown subcommand; did you mean "hermes chat"?' },
		{
			args: ["tools", "lst"],
			said: 'Cannot run "hermes tools lst": unknown subcommand; did you mean "hermes tools list"?',
		},
		{ args: ["tools"], said: 'Cannot run "hermes tools": say which of list, schema, call, pipe' },
		{ args: ["help", "nope"], said: 'Cannot run "hermes nope": unknown subcommand; see "hermes --help"' },
		{ args: ["-tui"], said: 'Cannot understand "-tui": unknown flag; did you mean "--tui"?' },
		{ args: ["chat", "-tui"], said: 'Cannot understand "-tui": unknown flag; did you mean "--tui"?' },
		{ args: ["-model", "x"], said: 'Cannot understand "-model": unknown flag; did you mean "--model"?' },
		{ args: ["chat", "--modle", "x"], said: 'Cannot understand "--modle": unknown flag; did you mean "--model"?' },
		{
			args: ["exec", "--frobnicate"],
			said: 'Cannot understand "--frobnicate": unknown flag; see "hermes exec --help"',
		},
		{ args: ["-m", "x", "exec", "ls"], said: 'Cannot use --model here: "hermes exec" has no such flag' },
		{
			args: ["-t", "nope", "tools", "list"],
			said: 'Cannot select toolset "nope": no toolset and no tool has that name; ',
		},
		{ args: ["tools", "list", "-t", "fiel"], said: 'did you mean "file"?' },
		{ args: ["tools", "call", "terminal", "{}", "--yollo"], said: "unknown option '--yollo' (Did you mean --yolo?)" },
		{ args: ["chat", "-q", "hi", "--max-turns", "0"], said: 'Cannot use "0" as --max-turns: the least is 1' },
		{
			args: ["chat", "-q", "hi", "--max-turns", "1.5"],
			said: 'Cannot use "1.5" as --max-turns: it is not a whole number',
		},
		{ args: ["exec", "--timeout", "soon", "ls"], said: 'Cannot use "soon" as --timeout: it is not a number' },
		{ args: ["exec", "--timeout", "0", "ls"], said: 'Cannot use "0" as --timeout: it must be more than 0' },
		{
			args: ["chat", "-q", "hi", "--output", "xml"],
			said: 'Cannot use "xml" as --output: there is text, json, stream-json',
		},
		{ args: ["chat", "-q", ""], said: "Cannot ask: the question is empty" },
		{ args: ["-z", " "], said: "Cannot ask: the question is empty" },
		{ args: ["chat", "-q"], said: "argument missing" },
		{ args: ["exec"], said: "Cannot run nothing" },
		{
			args: ["tools", "schema"],
			said: 'Cannot run "hermes tools schema": NAME is missing; see "hermes tools schema --help"',
		},
		{ args: ["-m", "x", "config", "set", "a.b"], said: 'Cannot run "hermes config set": VALUE is missing; ' },
		{ args: ["exec", "--backend", "dokcer", "true"], said: 'Cannot use backend "dokcer": unknown' },
		{ args: ["exec", "--backend", "lcoal", "true"], said: 'did you mean "local"?' },
		{
			args: ["--provider", "costum", "-z", "hi"],
			said: 'did you mean "custom"?',
		},
		{ args: ["--base-url", "http://127.0.0.1:9", "-z", "hi"], said: 'Cannot ask "custom": name a model with -m MODEL' },
	])("hermes $args exits 2 with one line", async ({ args, said }) => {
		const { stdout, stderr, exitCode } = await (endToEnd.includes(args[0] ?? "")
			? hermes(...args)
			: inProcess(...args));
		expect({ stdout, exitCode, lines: stderr.split("\n").length }).toEqual({ stdout: "", exitCode: 2, lines: 2 });
		expect(stderr).toStartWith("hermes: ");
		expect(stderr).toContain(said);
	});
});

describe.concurrent("a key typed in a wrong place", () => {
	const token = `ghp_${"a1B2".repeat(9)}`;
	test.each([
		[["--provider", token, "-z", "hi"], "Cannot use provider"],
		[["exec", "--backend", token, "true"], "Cannot use backend"],
		[["--max-turns", token, "-z", "hi"], "--max-turns"],
		[[token], "unknown subcommand"],
		[["config", "set", token, "x"], "unknown key"],
		[["config", "get", token], "unknown key"],
		[["logs", token], "Cannot"],
		[["completion", token], "Cannot complete"],
		[["chat", "-q", "hi", "--base-url", `http://user:${token}@127.0.0.1:9`], "-m MODEL"],
	])("hermes %j is refused and does not show it", async (args, said) => {
		const { stdout, stderr } = await inProcess(...args);
		expect({ stdout, shows: stderr.includes(token), says: stderr.includes(said) }).toEqual({
			stdout: "",
			shows: false,
			says: true,
		});
	});
});

describe.concurrent("hermes without a terminal", () => {
	test.each([{ args: [] }, { args: ["chat"] }])("hermes $args says how to ask once and exits 1", async ({ args }) => {
		const { stdout, stderr, exitCode } = await hermes(...args);
		expect({ stdout, exitCode, lines: stderr.split("\n").length }).toEqual({ stdout: "", exitCode: 1, lines: 2 });
		expect(stderr).toContain("-q TEXT");
	});
});
