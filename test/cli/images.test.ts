/** An image on a command line: from its file to the provider, into the session, and out of it again. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { imageBytes } from "../../lib/images/image-store.ts";
import { openStore } from "../../lib/store/database.ts";
import { runInProcess } from "../support/command-line.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { pngPicture } from "../support/picture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

const picture = pngPicture(4, 3);
const shown = {
	type: "image_url",
	image_url: { url: `data:image/png;base64,${picture.toString("base64")}`, detail: "auto" },
};

test("--image shows files with a question; the session shows the same bytes when it goes on, is printed and replayed", async () => {
	using home = temporaryFolder();
	const path = join(home.path, "dot.png");
	writeFileSync(path, picture);
	await using server = startOpenAiServer([{ text: "A dot." }, { text: "Still one." }, { text: "There too." }]);
	const flags = ["-m", "m", "--base-url", server.url];
	const first = await runInProcess(["-z", "What is it?", "--image", path, `--image=${path}`, ...flags], home.path);
	expect(first).toMatchObject({ exitCode: 0, stdout: "A dot.\n" });
	writeFileSync(path, "something else");
	await runInProcess(["chat", "-c", "-q", "And now?", ...flags], home.path);
	const asked = { role: "user", content: [shown, shown, { type: "text", text: "What is it?" }] };
	expect(server.requests.map(({ body }) => body.messages[1])).toEqual([asked, asked]);

	// Another machine has it with the backup.
	using other = temporaryFolder();
	const archive = join(home.path, "out.tar.gz");
	await runInProcess(["backup", "-o", archive], home.path);
	await runInProcess(["import", archive], other.path);
	await runInProcess(["chat", "-c", "-q", "And there?", ...flags], other.path);
	expect(server.requests[2]?.body.messages[1]).toEqual(asked);

	const hermesHome = join(home.path, ".hermes");
	using store = openStore(join(hermesHome, "state.db"));
	const id = store.listSessions()[0]?.id ?? "";
	const [question] = store.listMessages(id);
	const [image] = (question?.message.role === "user" && question.message.images) || [];
	expect(image).toMatchObject({ name: "dot.png", width: 4, height: 3 });
	expect(image && picture.equals(imageBytes(hermesHome, image) ?? Buffer.alloc(0))).toBe(true);
	expect((await runInProcess(["sessions", "show", id], home.path)).stdout).toContain(
		"user\n[image dot.png 4×3]\n[image dot.png 4×3]\nWhat is it?",
	);
	for (const format of ["markdown", "html"]) {
		const { stdout } = await runInProcess(["sessions", "export", id, "--format", format], home.path);
		expect(stdout).toMatch(/\[image dot\.png\]\n+\[image dot\.png\]\n+What is it\?/);
	}
	expect((await runInProcess(["replay", id], home.path)).stdout).toBe("0 calls on local: all the same\n");
});

test("--image refuses what is no image, no file or without a question, and asks nobody", async () => {
	using home = temporaryFolder();
	writeFileSync(join(home.path, "notes.txt"), "words");
	const notes = join(home.path, "notes.txt");
	const refusal = async (...args: string[]) => {
		const where = ["-m", "m", "--base-url", "http://127.0.0.1:9/v1"];
		const { exitCode, stderr } = await runInProcess(["chat", ...where, ...args], home.path);
		return [exitCode, stderr.trim()];
	};
	expect(
		await Promise.all([
			refusal("-q", "x", "--image", notes),
			refusal("-q", "x", "--image", "gone.png"),
			refusal("-q", "x", "--image", home.path),
			refusal("--image", notes),
		]),
	).toEqual([
		[1, expect.stringContaining('Cannot attach "notes.txt": it is no PNG, JPEG, GIF or WebP image')],
		[1, expect.stringContaining('Cannot attach "gone.png": there is no such file')],
		[1, expect.stringContaining('": it is no file')],
		[2, expect.stringContaining("give one with -q TEXT, or say /image FILE in the chat")],
	]);
});

test("agent.image_input_mode: auto sends the name to a model of which the catalog knows that it reads only text", async () => {
	using home = temporaryFolder();
	writeFileSync(join(home.path, "dot.png"), picture);
	mkdirSync(join(home.path, ".hermes"));
	const catalog = { deepseek: { models: { reader: { modalities: { input: ["text"] } } } } };
	writeFileSync(join(home.path, ".hermes/models_dev_cache.json"), JSON.stringify(catalog));
	await using server = startOpenAiServer([{ text: "Cannot see it." }, { text: "A dot." }]);
	const variables = { DEEPSEEK_BASE_URL: server.url, DEEPSEEK_API_KEY: "sk-0123456789" };
	for (const model of ["reader", "nobody-knows"]) {
		const asked = ["chat", "-q", "What is it?", "--image", join(home.path, "dot.png"), "--provider", "deepseek"];
		await runInProcess([...asked, "-m", model], home.path, variables);
	}
	expect(server.requests.map(({ body }) => body.messages[1]?.content)).toEqual([
		"[image dot.png]\nWhat is it?",
		[shown, { type: "text", text: "What is it?" }],
	]);
});

test("agent.image_input_mode: text sends the name and says so", async () => {
	using home = temporaryFolder();
	writeFileSync(join(home.path, "dot.png"), picture);
	mkdirSync(join(home.path, ".hermes"));
	writeFileSync(join(home.path, ".hermes/config.yaml"), "agent:\n  image_input_mode: text\n");
	await using server = startOpenAiServer([{ text: "Cannot see it." }]);
	const flags = ["--image", join(home.path, "dot.png"), "-m", "m", "--base-url", server.url];
	const { stderr } = await runInProcess(["chat", "-q", "What is it?", ...flags], home.path);
	expect(server.requests[0]?.body.messages[1]).toEqual({ role: "user", content: "[image dot.png]\nWhat is it?" });
	expect(stderr).toContain('The model "m" is sent no images: it gets their names');
});
