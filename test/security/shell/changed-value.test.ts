/** Names and paths that are put together by taking something off a variable. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tables hold shell text

import { expect, test } from "bun:test";
import { hardlineReason } from "../../../lib/security/hardline.ts";
import { changedValue } from "../../../lib/security/shell/changed-value.ts";

const place = { cwd: "/work", home: "/home/user" };

test("changedValue() gives what bash gives", async () => {
	const cases: readonly (readonly [value: string, change: string])[] = [
		["a.b.c", "#*."],
		["a.b.c", "##*."],
		["a.b.c", "%.*"],
		["a.b.c", "%%.*"],
		["a.b.c", "#b"],
		["a.b.c", "%.?"],
		["*rm", "#\\*"],
		["abcdef", ":2"],
		["abcdef", ":2:3"],
		["abcdef", ": -2"],
		["abcdef", "::-1"],
		["abcdef", ":(-3):2"],
		["a/b/a", "/a/x"],
		["a/b/a", "//a/x"],
		["a/b/a", "/#a/x"],
		["a/b/a", "/%a/x"],
		["a/b/a", "//\\/"],
		["a/b/a", "/b/x\\/y"],
		["a-b-a", "/-*-"],
		["abc", "/b/&&"],
		["abc", "//?/x&\\&"],
		["aBc", "^^"],
		["aBc", ",,"],
		["abc", "^"],
		["ABC", ","],
		["aBc", "~~"],
		["aBc", "~"],
		["aBc", "@U"],
		["aBc", "@L"],
		["abc", "@u"],
	];
	const script = cases.map(([value, change]) => `x='${value}'; printf '%s\\n' "\${x${change}}"`).join("\n");
	const bash = Bun.spawn(["bash", "-c", script], { stdout: "pipe", env: { PATH: "/usr/bin:/bin" } });
	const lines = (await new Response(bash.stdout).text()).split("\n").slice(0, -1);
	expect(cases.map(([value, change]) => [change, changedValue(value, change)])).toEqual(
		cases.map(([, change], index) => [change, lines[index]]),
	);
});

test("changedValue() leaves what it does not know, and does not guess at patterns", () => {
	expect([changedValue("abc", "@Q"), changedValue("abc", ":?no"), changedValue("abc", "@E")]).toEqual(
		Array(3).fill("abc"),
	);
	expect([
		changedValue("abc", "#[a]"),
		changedValue("abc", "%*b*"),
		changedValue("abc", ":$n"),
		changedValue("abc", "^^b"),
	]).toEqual(Array(4).fill(undefined));
});

test.each([
	"echo ${x#$(rm -rf /)}",
	"x=xrm; ${x#x} -rf /",
	"x=xrm; ${x#$(echo x)} -rf /",
	"x=aarm; ${x##*a} -rf /",
	"x='*rm'; ${x#'*'} -rf /",
	"x=rm.x; ${x%.?} -rf /",
	"x=rmz; ${x::-1} -rf /",
	"x=r_m; ${x/_} -rf /",
	"x=rxm; r=x; ${x//$r/} -rf /",
	"for x in xrm xls; do ${x#x} -rf /; done",
	"x=/usr/x.y; rm -rf ${x%/*}",
	"x=/; rm -rf ${x#$unknown}",
	"r${x#x}m -rf /",
	"x=rm; ${x/r/&} -rf /",
	"x=RM; ${x,,} -rf /",
	"x=Rm; ${x@L} -rf /",
	"xargs env rm -rf /",
])("hardlineReason() refuses %s", (command) => {
	expect(hardlineReason(command, place)).toBeString();
});

test.each([
	"x=/home/user/a.tar; rm -rf ${x%.tar}",
	"x=/usr/local/thing; rm -rf ${x#/usr/}",
	"x=/home/user/x; rm -rf ${x//user/bob}",
	"${HOME:?}; rm -rf ${HOME:?}/x",
])("hardlineReason() leaves %s alone", (command) => {
	expect(hardlineReason(command, place)).toBeUndefined();
});
