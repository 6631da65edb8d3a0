/** Generated shell text keeps to what bash 3.2 can run: macOS ships no newer one. */

import { describe, expect, test } from "bun:test";
import { watchdogScript } from "../../../lib/environments/local/watchdog.ts";
import {
	captureScript,
	commandScript,
	definitionsScript,
	loginScript,
} from "../../../lib/environments/shell/bash-script.ts";
import { posix } from "../../../lib/environments/shell/posix-script.ts";
import { callScript, greetScript } from "../../../lib/environments/shell/sandbox-script.ts";
import { quote } from "../../../lib/environments/shell/shell-language.ts";

/** What came after bash 3.2, or works differently there. */
const tooNew: readonly (readonly [what: string, pattern: RegExp])[] = [
	["$BASHPID", /\bBASHPID\b/],
	["${x@Q}", /\$\{[^}]*@[A-Za-z]\}/],
	["mapfile", /\b(?:mapfile|readarray)\b/],
	["declare -A", /\b(?:declare|local|typeset) -\w*[Agnlu]/],
	["&>>", /&>>/],
	["|&", /\|&/],
	["${x^^}", /\$\{\w+(?:\[[^\]]*\])?[\^,]/],
	["coproc", /\bcoproc\b/],
	["wait -n", /\bwait -\w*n/],
	["printf %(…)T", /%\([^)]*\)T/],
	["exec {fd}>", /\{\w+\}[<>]/],
	["${x:0:-1}", /\$\{\w+:[^}]*:\s*-\d/],
	["[[ -v x ]]", /\[\[? -v /],
	["shopt globstar or lastpipe", /\b(?:globstar|lastpipe|inherit_errexit)\b/],
	["negative subscript", /\[-\d+\]/],
	["$EPOCHSECONDS", /\bEPOCH(?:SECONDS|REALTIME)\b/],
	["read -t with a fraction", /\bread\b[^;\n]* -t 0?\.\d/],
	["case fall-through", /;;?&/],
	["{01..10} padding", /\{0\d+\.\.\d+\}/],
];

const parts = { command: "echo", statePath: "/s/0" };
const scripts = {
	"the watchdog": watchdogScript,
	"a command": commandScript({ ...parts, definitions: { from: "file", path: "/s/1" }, commandPath: "/s/2" }),
	"a command with definitions": commandScript({ ...parts, definitions: { from: "argument", text: "f () { :; }" } }),
	"a command for sh": posix.command({ ...parts, definitions: { from: "file", path: "/s/1" }, commandPath: "/s/2" }),
	"the login of sh": posix.login("sh", { cwd: "", statePath: "/s/0", readFiles: [] }).at(-1) ?? "",
	"what surrounds a command in a sandbox": callScript,
	"the first look at a sandbox": greetScript,
	"a short command": commandScript(parts),
	"the capture": captureScript("/s/0"),
	"the definitions": definitionsScript(new Map([["A", "x"]]), "f () \n{ \n    echo\n}\n"),
	"the login": loginScript({ cwd: "/", statePath: "/s/0", readFiles: ['\\builtin . "$HOME/.bashrc"'] }),
};

describe.each(Object.entries(scripts))("%s", (_name, script) => {
	test.each(tooNew.map(([what, pattern]) => ({ what, pattern })))("has no $what", ({ pattern }) => {
		expect(pattern.exec(script)?.[0]).toBeUndefined();
	});

	test("is text that bash can parse", () => {
		const { exitCode, stderr } = Bun.spawnSync(["bash", "-n", "-c", script]);
		expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
	});
});

test.each([
	["$BASHPID", "echo $BASHPID"],
	["${x@Q}", "echo ${x@Q} ${a[0]@Q}"],
	["mapfile", "mapfile -t a"],
	["declare -A", "declare -A G"],
	["&>>", "a &>>b"],
	["|&", "a |& b"],
	["${x^^}", "echo ${x^^}"],
	["coproc", "coproc cat"],
	["wait -n", "wait -n"],
	["printf %(…)T", "printf '%(%s)T' -1"],
	["exec {fd}>", "exec {fd}>x"],
	["[[ -v x ]]", "[[ -v x ]]"],
] as const)("the check knows %s", (what, script) => {
	expect(tooNew.filter(([, pattern]) => pattern.test(script)).map(([name]) => name)).toContain(what);
});

test.each(["", "a", "it's", "'", "''", "\\", "$x `y`", "a\nb", "-n", "é"])("quote() makes one word of %j", (text) => {
	const { stdout } = Bun.spawnSync(["bash", "-c", `printf %s ${quote(text)}`]);
	expect(stdout.toString()).toBe(text);
});
