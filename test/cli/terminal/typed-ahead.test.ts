/** Keys of somebody who does not wait for the chat. */

import { expect, test } from "bun:test";
import { hearTypedAhead } from "../../../lib/cli/terminal/typed-ahead.ts";

function listening() {
	const heard: string[] = [];
	const hear = hearTypedAhead((key) => heard.push(key));
	return {
		type(keys: string) {
			for (const key of keys) hear(key);
		},
		heard: () => heard.join(""),
	};
}

test("hearTypedAhead() makes an Enter of a line feed that has waited in the terminal, and of no later one", async () => {
	const keyboard = listening();
	keyboard.type("hi\n");
	await Bun.sleep(250);
	keyboard.type("a\nb");
	expect(keyboard.heard()).toBe("hi\ra\nb");
});

test("hearTypedAhead() takes a line feed for one when nothing has waited", async () => {
	const keyboard = listening();
	await Bun.sleep(250);
	keyboard.type("a\nb");
	expect(keyboard.heard()).toBe("a\nb");
});
