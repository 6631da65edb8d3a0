/** What a session carries from one command to the next. */

import { equal } from "../assertions.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { says, sequence } from "../sequence.ts";

const hexOfA = `printf %s "$A" | od -An -v -tx1 | tr -d ' \\n'`;

/** Cases about exported variables, functions, aliases and how a command may end. */
export const stateCases: readonly ConformanceCase[] = [
	sequence("execute() carries exports over", ["export A='1  2'", 'echo "$A"'], says("1  2\n")),
	sequence("execute() does not carry plain variables over", ["A=1", `echo "\${A-none}"`], says("none\n")),
	sequence(
		"execute() carries the removal of an inherited variable over",
		["export A=1", "unset A", "true", `echo \${A-gone}`],
		says("gone\n"),
	),
	sequence("execute() carries the removal of HOME over", ["unset HOME", `echo \${HOME-gone}`], says("gone\n")),
	sequence(
		"execute() carries values with newlines, quotes and control characters over",
		[`export A=$'x\\ny"$\`\\\\z\\001\\x7f\\t\\'é!'`, "true", hexOfA],
		says("780a792224605c7a017f0927c3a921"),
	),
	sequence("execute() carries values over that are no UTF-8", ["export A=$'\\xff\\xfe'", "true", hexOfA], says("fffe")),
	sequence("execute() carries empty values over", ["export A=", `echo \${A-none}\${A:-empty}`], says("empty\n")),
	sequence(
		"execute() ignores text in a value that looks like an export",
		[`export A=$'1\\ndeclare -x B="2"'`, `echo \${B-none}`],
		says("none\n"),
	),
	sequence("execute() carries functions over", ['f() { echo "F:$1"; }', "true", "f 2"], says("F:2\n")),
	sequence(
		"execute() carries exported functions over",
		["f() { echo F; }; export -f f", "true", "bash -c f"],
		says("F\n"),
	),
	{
		name: "execute() carries the removal of a function over",
		async run(_shell, { run }) {
			await run("f() { echo F; }");
			await run("unset -f f");
			equal((await run("f")).exitCode, 127);
		},
	},
	sequence("execute() carries aliases over", ["alias ll='echo LL'", "true", "ll x"], says("LL x\n")),
	sequence(
		"execute() carries the removal of an alias over",
		["alias true='echo LL'", "unalias true", "true"],
		says(""),
	),
	sequence(
		"execute() works with aliases that shadow what its own text uses",
		[
			"alias builtin='echo BAD' export='echo BAD' pwd='echo BAD' trap='echo BAD' eval='echo BAD'",
			"\\export Q=1; \\cd /usr",
			"echo $Q; \\pwd",
		],
		says("1\n/usr\n"),
	),
	sequence(
		"execute() works with functions that shadow what its own text uses",
		[
			"pwd() { echo BAD; }; export() { echo BAD; }; eval() { echo BAD; }; trap() { echo BAD; }; cd /usr",
			"builtin export Q=5",
			"echo $Q; builtin pwd",
		],
		says("5\n/usr\n"),
	),
	sequence(
		"execute() survives a function named builtin",
		["builtin() { echo BAD; }; echo in", "echo next"],
		says("next\n"),
	),
	sequence(
		"execute() keeps folder and exports of a command that ends with exit",
		["cd /usr; export Y=1; exit 3", "pwd; echo $Y"],
		says("/usr\n1\n"),
	),
	sequence(
		"execute() keeps them when a function exits",
		["f() { cd /usr; export Z=3; exit 7; }; f", "pwd; echo $Z"],
		says("/usr\n3\n"),
	),
	sequence("execute() returns the code of an exit in a function", ["f() { exit 7; }; f; echo no"], {
		output: "",
		exitCode: 7,
	}),
	sequence(
		"execute() keeps them when set -e ends the command",
		["set -e; cd /usr; export Y=2; false; echo no", "pwd; echo $Y; false; echo yes"],
		says("/usr\n2\nyes\n"),
	),
	sequence("execute() returns the code of a command that set -e ended", ["set -e; (exit 4); echo no"], {
		output: "",
		exitCode: 4,
	}),
	sequence(
		"execute() keeps them when set -u ends the command",
		["set -u; cd /usr; echo $nope 2>/dev/null", "pwd; echo $nope"],
		says("/usr\n\n"),
	),
	sequence("execute() returns the code of a subshell", ["(exit 9)"], { output: "", exitCode: 9 }),
	sequence(
		"execute() runs exec and goes on with the state before it",
		["export A=1", "export A=2; exec echo ran", "echo $A"],
		says("1\n"),
	),
	sequence("execute() returns the code of a program that replaced the shell", ["exec sh -c 'exit 5'"], {
		output: "",
		exitCode: 5,
	}),
	sequence("execute() runs an EXIT trap of the command", ["trap 'echo bye' EXIT; echo hi; exit 2"], {
		output: "hi\nbye\n",
		exitCode: 2,
	}),
	sequence(
		"execute() goes on after an EXIT trap of the command",
		["trap 'echo bye' EXIT", "echo next"],
		says("next\n"),
	),
	sequence(
		"execute() goes on after kill -9 of the shell",
		["export A=1; kill -9 $$", `echo \${A-none}`],
		says("none\n"),
	),
	sequence(
		"execute() keeps the folder when a signal ends the shell",
		["cd /usr; kill $$", "pwd; cd /; kill -HUP $$", "pwd"],
		says("/\n"),
	),
	sequence("execute() returns 128 and the number of the signal that ended the shell", ["kill -9 $$"], {
		output: "",
		exitCode: 137,
	}),
	sequence(
		"execute() keeps the state of a command that redirected its output",
		["exec >/dev/null; cd /usr; echo hi", "pwd"],
		says("/usr\n"),
	),
	sequence(
		"execute() keeps the state of a command that closed its descriptors",
		['for i in 0 1 2 3 4 5 6 7 8 9; do eval "exec $i>&-"; done; cd /usr', "pwd"],
		says("/usr\n"),
	),
	sequence(
		"execute() keeps the state under noclobber, posix mode and readonly",
		["set -C; set -o posix; readonly R=1; export R; cd /usr", "pwd; echo $R"],
		says("/usr\n1\n"),
	),
	sequence(
		"execute() does not carry shell options over, exported or not",
		["set -eux; export SHELLOPTS", "false; echo $nope; echo yes"],
		says("\nyes\n"),
	),
	{
		name: "execute() adds nothing of its own to a trace",
		async run(_shell, { run, say }) {
			const { output } = await run("set -x; echo hi");
			equal(output.replace(/^[+]+/, "+"), "+ echo hi\nhi\n");
			equal(await say("trap 'echo dbg' DEBUG; echo hi"), says("dbg\nhi\n"));
		},
	},
	{
		name: "execute() reports a syntax error as the shell does, and goes on",
		async run(_shell, { run }) {
			const { output, exitCode } = await run("echo 'open\nif");
			equal({ exitCode, isOurs: output.includes("builtin") }, { exitCode: 2, isOurs: false });
			equal((await run("echo next")).output, "next\n");
		},
	},
	sequence(
		"execute() finds its own programs although PATH is broken",
		["export PATH=/nowhere", "echo next"],
		says("next\n"),
	),
	sequence(
		"execute() carries a variable of 150 KB over",
		["export BIG=$(head -c 150000 /dev/zero | tr '\\0' x)", `echo \${#BIG}`],
		says("150000\n"),
	),
	sequence(
		"execute() starts programs again after a variable of 150 KB was removed",
		[
			"export BIG=$(head -c 150000 /dev/zero | tr '\\0' x)",
			"unset BIG",
			`echo \${BIG-gone}; ls / >/dev/null && echo fine`,
		],
		says("gone\nfine\n"),
	),
	{
		name: "execute() merges what parallel commands export and remove",
		async run(_shell, { run, say }) {
			await run("export A=0 B=0 C=0");
			await Promise.all([
				run("export A=1; sleep 0.4"),
				run("sleep 0.2; export B=1"),
				run("unset C; sleep 0.3"),
				run("sleep 0.5"),
			]);
			equal(await say(`echo $A $B \${C-gone}`), says("1 1 gone\n"));
		},
	},
	{
		name: "execute() keeps the folder that a command changed while a slower one ran",
		async run(shell, { run }) {
			await Promise.all([run("sleep 0.5"), run("cd /usr")]);
			equal(shell.cwd, "/usr");
		},
	},
	{
		name: "openShell() reads a profile of 90 KB, and its functions work in every command",
		async run(_shell, { run, openShell, folder }) {
			const profile = Array.from(
				{ length: 900 },
				(_, index) => `fn_${index}() { echo "This is function ${index} of a long profile, number $1 of them all"; }`,
			);
			await run("cat >.profile", { stdin: `${profile.join("\n")}\nexport FROM_PROFILE=yes\nalias hey='echo hey'\n` });
			await using shell = await openShell({ environment: { HOME: folder, PATH: "/usr/local/bin:/usr/bin:/bin" } });
			const { execute } = await import("../../shell/execute.ts");
			const signal = AbortSignal.timeout(60_000);
			await execute(shell, "true", { signal });
			const { output } = await execute(shell, "fn_899 3; hey; echo $FROM_PROFILE", { signal });
			equal(output, "This is function 899 of a long profile, number 3 of them all\nhey\nyes\n");
		},
	},
];
