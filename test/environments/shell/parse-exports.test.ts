/** Export lists of bash 3.2 to 5.3. */

import { expect, test } from "bun:test";
import { parseExports } from "../../../lib/environments/shell/parse-exports.ts";

const table: readonly (readonly [what: string, text: string, variables: Record<string, string>])[] = [
	["nothing", "", {}],
	["a plain value", 'declare -x A="1"\n', { A: "1" }],
	["an empty value", 'declare -x A=""\n', { A: "" }],
	["a name without value", 'declare -x A\ndeclare -x B="2"\n', { B: "2" }],
	["escapes in double quotes", `${String.raw`declare -x A="a\"b\\c\$d\`e\f"`}\n`, { A: 'a"b\\c$d`e\\f' }],
	[
		"a value over several lines",
		'declare -x A="a\n\ndeclare -x B=\\"c\\"\n"\ndeclare -x C="3"\n',
		{ A: 'a\n\ndeclare -x B="c"\n', C: "3" },
	],
	[
		"ANSI quotes",
		`${String.raw`declare -x A=$'a\nb\t\'\\\"\001\377\x41\e\E\a\b\f\v\r\?'`}\n`,
		{ A: "a\nb\t'\\\"\x01\xffA\x1b\x1b\x07\b\f\v\r?" },
	],
	["an octal escape before a digit", `${String.raw`declare -x A=$'\0011'`}\n`, { A: "\x011" }],
	["more attributes", 'declare -rx A="1"\ndeclare -ix B="2"\n', { A: "1", B: "2" }],
	[
		"arrays, which no child sees",
		`declare -ax A='([0]="1")'\ndeclare -Ax B='([a]="1" )'\ndeclare -x C="3"\n`,
		{ C: "3" },
	],
	["posix mode", 'export A="1"\nexport B\nexport -r C="3"\n', { A: "1", C: "3" }],
	[
		"what dash and busybox write",
		`export A='it'"'"'s "x" $y \\\n'\nexport B=''\nexport C='3'\n`,
		{ A: 'it\'s "x" $y \\\n', B: "", C: "3" },
	],
	["a bare word", "declare -x A=abc\n", { A: "abc" }],
	["an end in the middle of a value", 'declare -x A="ab', { A: "ab" }],
	["lines that are none of it", 'bash: warning\ndeclare -x A="1"\n', { A: "1" }],
	["bytes", 'declare -x A="\xc3\xa9"\n', { A: "\xc3\xa9" }],
];

test.each(table.map(([what, text, variables]) => ({ what, text, variables })))(
	"parseExports() reads $what",
	({ text, variables }) => {
		expect(Object.fromEntries(parseExports(text))).toEqual(variables);
	},
);

test("parseExports() reads back what this machine's bash prints", async () => {
	const values = [
		"",
		" ",
		"a b",
		"it's",
		'"',
		"\\",
		"$HOME `x`",
		"\n",
		"a\n\n",
		"\t\r\x07\x1b\x7f",
		"é😀",
		"!",
		"\\n",
		"'\\''",
		"a\x01\x031",
	];
	const env = Object.fromEntries(values.map((value, index) => [`V${index}`, value]));
	for (const mode of ["+o", "-o"]) {
		const child = Bun.spawn(["bash", "-c", `set ${mode} posix; export -p`], { env });
		const list = Buffer.from(await new Response(child.stdout).arrayBuffer()).toString("latin1");
		const read = parseExports(list);
		const seen = values.map((_, index) => Buffer.from(read.get(`V${index}`) ?? "missing", "latin1").toString("utf8"));
		expect(seen).toEqual(values);
	}
});
