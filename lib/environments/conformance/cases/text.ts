/** Texts of commands and inputs that wrappers get wrong. */

import { equal } from "../assertions.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { says, sequence } from "../sequence.ts";

const allBytes = Uint8Array.from({ length: 256 }, (_, index) => index);

/** Cases about command text and stdin. */
export const textCases: readonly ConformanceCase[] = [
	sequence(
		"execute() keeps && and sudo in a heredoc as they are",
		["cat <<'X' && echo done\na && sudo b\n$HOME `c`\nX\n# end"],
		says("a && sudo b\n$HOME `c`\ndone\n"),
	),
	sequence("execute() ends a heredoc whose last line has no newline", ["cat >f <<EOF\nx\nEOF", "cat f"], says("x\n")),
	{
		name: "execute() keeps its own text out of a heredoc that never ends",
		async run(_shell, { run, say }) {
			await run("cat >f 2>/dev/null <<EOF\nx\n  EOF");
			equal(await say("cat f"), says("x\n  EOF\n"));
		},
	},
	sequence("execute() takes a comment at the end", ["echo a # b"], says("a\n")),
	sequence(
		"execute() takes single quotes, backslashes and line ends",
		["echo 'it'\\''s' \"a\\\\b\"\n\n  echo two \\\n three"],
		says("it's a\\b\ntwo three\n"),
	),
	sequence("execute() takes several lines with a loop", ["for i in 1 2; do\n\techo $i\ndone"], says("1\n2\n")),
	sequence("execute() takes other alphabets", ["echo 'héllo 世界 😀'"], says("héllo 世界 😀\n")),
	{
		name: "execute() takes a command of 140 KB",
		async run(_shell, { say }) {
			equal(await say(`printf %s '${"x".repeat(140_000)}' | wc -c | tr -d ' '`), says("140000\n"));
		},
	},
	{
		name: "execute() takes a command that quoting makes too long",
		async run(_shell, { say }) {
			equal(await say(`printf %s "${"'".repeat(60_000)}" | wc -c | tr -d ' '`), says("60000\n"));
		},
	},
	{
		name: "execute() gives every byte of the input to the command",
		async run(_shell, { run }) {
			const { output } = await run("od -An -v -tx1 | tr -d ' \\n'", { stdin: allBytes });
			equal(output, allBytes.toHex());
		},
	},
	{
		name: "execute() gives text to the command without changing line ends",
		async run(_shell, { say }) {
			equal(await say("cat", { stdin: "a\r\nb\nno end" }), says("a\r\nb\nno end"));
		},
	},
	{
		name: "execute() gives a long input to a command that reads it late",
		async run(_shell, { say }) {
			equal(await say("sleep 0.2; wc -c | tr -d ' '", { stdin: new Uint8Array(3_000_000) }), says("3000000\n"));
		},
	},
	{
		name: "execute() is content with a command that does not read its input",
		async run(_shell, { say }) {
			equal(await say("echo done", { stdin: new Uint8Array(1_000_000) }), says("done\n"));
		},
	},
	{
		name: "execute() gives the whole input to a group of commands",
		async run(_shell, { say }) {
			equal(await say('{ read -r a; cat; echo "$a"; }', { stdin: "1\n2\n" }), says("2\n1\n"));
		},
	},
	sequence("execute() gives no input when there is none", ["cat; read -r x || echo end"], says("end\n")),
];
