/** Random text: no crash, and no work that grows faster than the text. */

import { expect, test } from "bun:test";
import { inspectCommand } from "../../../lib/security/commands/inspect-command.ts";
import { withoutComments } from "../../../lib/security/shell/comments.ts";
import { lexScript } from "../../../lib/security/shell/lexer.ts";
import { NestedTooDeep } from "../../../lib/security/shell/syntax.ts";
import { processorMs } from "../../support/processor-time.ts";

const pieces = [
	..."abc /~.*?[]!#=-+@%,0129\t\n\\'\"`$&|;<>(){}\r\u00e9\ud83d\ude00\ud800\0\ufffd\uffff\ue000",
	...[
		"$(",
		"${",
		"${x:-",
		"$((",
		"<<EOF\n",
		"\nEOF\n",
		"<<-'E'\n",
		"<<<",
		"<(",
		"&>",
		">|",
		"2>&1",
		";;",
		"&&",
		"||",
		"$'",
		'$"',
	],
	...[
		" rm ",
		" -rf ",
		" sudo ",
		" env -S ",
		" bash -c ",
		" eval ",
		" xargs ",
		" find ",
		" -exec ",
		" \\; ",
		" for ",
		" in ",
	],
	...[
		" do ",
		" done ",
		" case ",
		" esac ",
		" if ",
		" then ",
		" fi ",
		" function f ",
		"f() ",
		" read x ",
		" alias a=",
		" ssh h ",
	],
	...[" git ", " curl ", " cd ", " chmod +x ", " tee ", " {a,b} ", "\u001b[31m", "HOME", "IFS", " set -- ", " trap "],
];

/** The same sequence each time (mulberry32), so that a failure can be looked at. */
function randomNumbers(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

function randomText(random: (below: number) => number, longest: number): string {
	let text = "";
	for (let count = random(longest); count > 0; count--) text += pieces[random(pieces.length)] ?? "";
	return text;
}

test("lexScript() reads 100,000 random texts without a crash", () => {
	const random = randomNumbers(1);
	for (let round = 0; round < 100_000; round++) {
		const text = randomText(random, 24);
		try {
			lexScript(text);
		} catch (cause) {
			if (!(cause instanceof NestedTooDeep)) throw new Error(`on ${JSON.stringify(text)}`, { cause });
		}
	}
});

test("inspectCommand() judges 10,000 random texts without a crash", () => {
	const random = randomNumbers(2);
	for (let round = 0; round < 10_000; round++) {
		const text = randomText(random, 24);
		try {
			inspectCommand(text, { cwd: "/srv", home: "/home/ann" });
			withoutComments(text);
		} catch (cause) {
			if (!(cause instanceof NestedTooDeep)) throw new Error(`on ${JSON.stringify(text)}`, { cause });
		}
	}
});

test("inspectCommand() takes no longer for any pair of pieces than its length explains", () => {
	const random = randomNumbers(3);
	const slow: string[] = [];
	for (let round = 0; round < 60; round++) {
		const unit = randomText(random, 4) || "a";
		const text = unit.repeat(Math.floor(20_000 / unit.length));
		// Quadratic work on 20 KB takes seconds; the limit leaves room for a loaded machine.
		if (processorMs(() => void inspectCommand(text)) > 1_500) slow.push(unit);
	}
	expect(slow).toEqual([]);
});
