/** Where commands run. */

import { equal } from "../assertions.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { says, sequence } from "../sequence.ts";

/** Cases about the session's folder. */
export const folderCases: readonly ConformanceCase[] = [
	sequence("execute() carries the folder over", ["cd /usr", "pwd"], says("/usr\n")),
	sequence(
		"execute() carries a folder over whose name begins with a hyphen",
		["mkdir ./-x; cd ./-x", 'basename -- "$PWD"'],
		says("-x\n"),
	),
	sequence(
		"execute() carries a folder over with spaces, quotes and newlines in its name",
		[`mkdir $'a  b\\n\\'c"\\n'; cd $'a  b\\n\\'c"\\n'`, `printf %s. "\${PWD##*/}"`],
		says(`a  b\n'c"\n.`),
	),
	{
		name: "execute() goes on in the nearest folder above one that was deleted, and says so",
		async run(shell, { run, folder }) {
			await run("mkdir -p d/e; cd d/e");
			await run("rm -rf ../../d");
			const next = await run("pwd");
			equal(
				{ output: next.output, cwd: next.cwd, isTold: next.notice?.includes(`${folder}/d/e`) ?? false },
				{ output: `${folder}\n`, cwd: folder, isTold: true },
			);
			equal((await run("cd /usr")).notice, undefined);
			equal(shell.cwd, "/usr");
		},
	},
	{
		name: "execute() runs one command elsewhere without moving the session",
		async run(shell, { run, folder }) {
			const there = await run("pwd", { cwd: "/usr" });
			equal({ output: there.output, cwd: there.cwd }, { output: "/usr\n", cwd: folder });
			await run("mkdir sub; ln -s sub link");
			equal((await run("pwd -P; true", { cwd: "link" })).output, `${folder}/sub\n`);
			equal(shell.cwd, folder);
		},
	},
	{
		name: "execute() answers 126 for a folder that does not exist",
		async run(_shell, { say, folder }) {
			equal(await say("echo no", { cwd: "nope" }), {
				output: `Cannot run in "${folder}/nope": there is no such folder\n`,
				exitCode: 126,
			});
		},
	},
	{
		name: "execute() reads ~ in the folder of one command",
		async run(_shell, { run, folder }) {
			await run(`mkdir h; export HOME='${folder}/h'`);
			equal((await run("pwd", { cwd: "~" })).output, `${folder}/h\n`);
		},
	},
	sequence(
		"execute() lets cd - go to the folder before, over commands",
		["cd /usr", "cd /", "cd - >/dev/null; pwd"],
		says("/usr\n"),
	),
];
