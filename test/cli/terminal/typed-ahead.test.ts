/** Keys of somebody who does not wait for the chat. */

import { expect, test } from "bun:test";
import { hearTypedAhead } from "../../../lib/cli/terminal/typed-ahead.ts";

test("hearTypedAhead() makes an Enter of a line feed that has waited in the terminal, and of no later one", async () => {
	const heard: string[] = [];
	const hear = hearTypedAhead((key) => heard.push(key));
	for (const key of "hi\n") hear(key);
	await Bun.sleep(1);
	for (const key of "a\nb") hear(key);
	expect(heard.join("")).toBe("hi\ra\nb");
});
