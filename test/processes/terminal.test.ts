/** Full-screen programs on a terminal: what they show, keys, and its size. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { BackgroundProcess } from "../../lib/processes/background-process.ts";
import { typedKeys } from "../../lib/processes/screen/keys.ts";
import { hasSingularity } from "../environments/singularity/singularity-service.ts";
import { hasSsh } from "../environments/ssh/ssh-service.ts";
import { openDocker } from "../support/docker-sandbox.ts";
import { openProcessScene, type PlaceName, type ProcessScene, until } from "../support/process-scene.ts";
import { requireService } from "../support/required-service.ts";

setDefaultTimeout(120_000);

const hasDocker = await requireService("docker", async () => {
	await using _ = await openDocker();
});

const places: readonly { place: PlaceName; isThere: boolean }[] = [
	{ place: "local", isThere: true },
	{ place: "docker", isThere: hasDocker },
	{ place: "docker-nopython", isThere: hasDocker },
	{ place: "ssh", isThere: await hasSsh() },
	{ place: "singularity", isThere: await hasSingularity() },
];

const terminal = { columns: 80, rows: 24 };
const shown = ({ screen }: BackgroundProcess) => screen?.show().rows ?? [];
const screenHas = (process: BackgroundProcess, text: string) =>
	until(
		() => shown(process).some((row) => row.includes(text)),
		() => shown(process).join("\n"),
	);
const press = async (process: BackgroundProcess, ...keys: string[]) => {
	const typed = typedKeys(keys, process.screen?.usesApplicationKeys ?? false);
	expect(await process.write(typed.ok ? typed.text : "")).toBe("taken");
};

for (const { place, isThere } of places) {
	describe.skipIf(!isThere)(`a terminal on ${place}`, () => {
		let scene: ProcessScene;
		const folder = `/tmp/terminal-${crypto.randomUUID()}`;
		beforeAll(async () => {
			scene = await openProcessScene(place);
			const { signal } = new AbortController();
			await scene.shell.execute(`mkdir ${folder}; seq -f 'line %g' 1000 > ${folder}/numbers`, { signal });
		});
		afterAll(async () => {
			await scene.shell.execute(`rm -rf ${folder}`, { signal: new AbortController().signal });
			await scene[Symbol.asyncDispose]();
		});

		test("has the size it was given, tells of a new one, and gives Ctrl-C to the program", async () => {
			// The trap first: the new size may come as soon as the old one has been seen.
			const script = "trap 'stty size' WINCH; tty >/dev/null && stty size; while :; do sleep 0.05; done";
			const process = await scene.start(script, { terminal });
			await screenHas(process, "24 80");
			expect(await process.resize({ columns: 100, rows: 40 })).toBe(true);
			await screenHas(process, "40 100");
			await press(process, "<ctrl-c>");
			expect(await process.ended).toMatchObject({ exitCode: 130, reason: "exited" });
		});

		test("kill() ends what runs on it", async () => {
			const process = await scene.start("sleep 300", { terminal });
			expect(await process.kill()).toEqual({ is: "gone" });
			expect(process.end).toMatchObject({ reason: "killed" });
		});

		test("drives less", async () => {
			const process = await scene.start(`less ${folder}/numbers`, { terminal });
			await screenHas(process, "line 23");
			await press(process, "<pagedown>");
			await screenHas(process, "line 46");
			await press(process, "/line 700", "<enter>");
			await screenHas(process, "line 700");
			await press(process, "q");
			expect(await process.ended).toMatchObject({ exitCode: 0 });
		});

		test("drives vim", async () => {
			const process = await scene.start(`vim -u NONE -N -n ${folder}/written`, { terminal });
			await screenHas(process, "[New]");
			await press(process, "i", "hello <world>", "<enter>", "second 项目");
			await screenHas(process, "second 项目");
			// An escape that a key follows at once would be taken for the beginning of that key.
			await press(process, "<escape>");
			await until(() => !shown(process).some((row) => row.includes("-- INSERT --")));
			await press(process, "<up>", "A", "!");
			await screenHas(process, "hello <world>!");
			expect(shown(process).slice(0, 3)).toEqual(["hello <world>!", "second 项目", "~"]);
			await press(process, "<escape>");
			await until(() => !shown(process).some((row) => row.includes("-- INSERT --")));
			await press(process, ":wq", "<enter>");
			expect(await process.ended).toMatchObject({ exitCode: 0 });
			const { output } = await scene.shell.execute(`cat ${folder}/written`, { signal: new AbortController().signal });
			expect(output).toBe("hello <world>!\nsecond 项目\n");
		});

		test.skipIf(place === "docker-nopython")("drives the python3 prompt, which ends with Ctrl-D", async () => {
			const process = await scene.start("python3 -q", { terminal });
			await screenHas(process, ">>>");
			await process.write("sum(range(101))\r");
			await screenHas(process, "5050");
			await process.write("import sys; sys.stdout.isatty()\r");
			await screenHas(process, "True");
			expect(await process.close()).toBe("taken");
			expect(await process.ended).toMatchObject({ exitCode: 0 });
		});
	});
}
