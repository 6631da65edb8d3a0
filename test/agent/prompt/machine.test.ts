/** What a prompt says of the machine. */

import { expect, test } from "bun:test";
import { describedMachine, ownMachine } from "../../../lib/agent/prompt/machine.ts";
import type { FilePlace } from "../../../lib/files/place.ts";

const place: FilePlace = {
	async execute(command) {
		const child = Bun.spawn(["bash", "-c", command], { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
		const output = await new Response(child.stdout).text();
		return { output, exitCode: await child.exited, ended: "exited", cwd: "/", ranOn: "docker:1" };
	},
};

test("describedMachine() asks the machine of the session, and says nothing where it cannot", async () => {
	const asked = await describedMachine(place);
	expect(asked).toContain(", user ");
	expect(asked.replace(/, user [^,]+/, "")).toBe(ownMachine(process.env.HOME ?? ""));
	const execute = () => Promise.reject(new Error("gone"));
	expect(await describedMachine({ execute })).toBe("");
});
