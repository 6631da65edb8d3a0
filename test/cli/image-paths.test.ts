/** Which image files are meant by what a user types, pastes or drops, and what becomes of their markers. */

import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAttachments } from "../../lib/cli/conversation/attachments.ts";
import { type BusyTurn, runTurns } from "../../lib/cli/conversation/busy-turn.ts";
import { droppedImages, mentionedImages } from "../../lib/cli/conversation/image-paths.ts";
import { pngPicture } from "../support/picture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const home = temporaryFolder();
afterAll(() => home[Symbol.dispose]());
const place = { folder: home.path, home: home.path };
mkdirSync(join(home.path, "a b"));
mkdirSync(join(home.path, "folder.png"));
for (const path of ["red.png", "a b/it's.PNG", "notes.txt"]) writeFileSync(join(home.path, path), pngPicture(2, 2));
const red = join(home.path, "red.png");
const spaced = join(home.path, "a b/it's.PNG");

const drops: readonly { readonly text: string; readonly images: readonly string[] | undefined }[] = [
	{ text: red, images: [red] },
	{ text: ` ${red}\n`, images: [red] },
	{ text: "~/red.png", images: [red] },
	{ text: spaced, images: [spaced] },
	{ text: `"${spaced}"`, images: [spaced] },
	{ text: spaced.replace(/[ ']/g, "\\$&"), images: [spaced] },
	{ text: `'${red}' ${spaced.replace(/[ ']/g, "\\$&")}`, images: [red, spaced] },
	{ text: `file://${spaced.replace(" ", "%20")}\nfile://${red}`, images: [spaced, red] },
	{ text: `look at ${red}`, images: undefined },
	{ text: `${red} ${join(home.path, "gone.png")}`, images: undefined },
	{ text: join(home.path, "folder.png"), images: undefined },
	{ text: join(home.path, "notes.txt"), images: undefined },
	{ text: "file://elsewhere/red.png", images: undefined },
	{ text: "", images: undefined },
];

test.each(drops)("droppedImages() of $text", ({ text, images }) => {
	expect(droppedImages(text, place)).toEqual(images);
});

test("mentionedImages() finds files behind an @, and no addresses of mail", () => {
	const text = `see @red.png, @red.png and @"a b/it's.PNG" me@red.png @gone.png @...`;
	expect(mentionedImages(text, place)).toEqual([
		{ mention: "@red.png", at: 4, path: red },
		{ mention: "@red.png", at: 14, path: red },
		{ mention: `@"a b/it's.PNG"`, at: 27, path: spaced },
	]);
});

test("text of any size that looks like paths and markers is looked through once", async () => {
	const attachments = openAttachments(join(home.path, ".hermes"), () => place);
	const size = 300_000;
	for (const text of [
		"[image #1: ".repeat(size / 10),
		`@${".".repeat(size)}x`,
		"@a.png ".repeat(2_000),
		`"'\\`.repeat(5_000),
	]) {
		expect(droppedImages(text, place)).toBeUndefined();
		expect(await attachments.questionOf(text)).toEqual({ text, images: [], refused: [] });
	}
}, 20_000);

describe("attachments", () => {
	test("a marker stands where its image was named, and nowhere else, whatever its name", async () => {
		const name = "$& $1.png";
		writeFileSync(join(home.path, name), pngPicture(2, 2));
		const attachments = openAttachments(join(home.path, ".hermes"), () => place);
		const { text } = await attachments.questionOf(`me@red.png @red.png @"${name}"!`);
		expect(text).toBe(`me@red.png [image #1: red.png 2×2] [image #2: ${name} 2×2]!`);
	});

	test("one image has one marker, and another image of the same name another one", async () => {
		const attachments = openAttachments(join(home.path, ".hermes"), () => place);
		const first = await attachments.add(pngPicture(2, 2), "a]\n.png");
		expect([first, await attachments.add(pngPicture(2, 2), "a]\n.png")]).toEqual([first, "[image #1: a .png 2×2]"]);
		const second = await attachments.add(pngPicture(2, 2, 10), "a]\n.png");
		expect(second).toBe("[image #2: a .png 2×2]");
		const { images } = await attachments.questionOf(`${second} and ${first} and ${second} [image #3: none]`);
		expect(images.map(({ bytes }) => bytes)).toEqual([pngPicture(2, 2, 10).length, pngPicture(2, 2).length]);
	});

	test("what was asked in another run shows the same images again, also when they had no markers", async () => {
		const earlier = openAttachments(join(home.path, ".hermes"), () => place);
		const asked = await earlier.questionOf(`what is ${await earlier.addFile(red)}?`);
		const later = openAttachments(join(home.path, ".hermes"), () => place);
		expect(later.recall(asked.text, asked.images)).toBe(asked.text);
		expect(later.isShown(asked.text)).toBeTrue();
		const unmarked = later.recall("and this?", asked.images);
		expect((await later.questionOf(unmarked)).images).toEqual(asked.images);
	});

	test("a file that cannot be used stays a word, and why is told", async () => {
		writeFileSync(join(home.path, "broken.png"), "no picture");
		const attachments = openAttachments(join(home.path, ".hermes"), () => place);
		expect(await attachments.questionOf("see @broken.png")).toEqual({
			text: "see @broken.png",
			images: [],
			refused: [expect.stringContaining('Cannot attach "broken.png"')],
		});
		expect(attachments.addFile(join(home.path, "gone.png"))).rejects.toThrow("there is no such file");
	});
});

test("a text with an image waits for the end of a turn that would be told of other words", async () => {
	const asked: string[] = [];
	let turn: BusyTurn | undefined;
	const done: unknown[] = [];
	const conversation = {
		steer: () => true,
		async runTurn(text: string) {
			asked.push(text);
			if (asked.length === 1) done.push(turn?.hear("words"), turn?.hear("a picture"), turn?.steer("a picture too"));
			return {} as never;
		},
	};
	const openTurn = () => ({ signal: new AbortController().signal, [Symbol.dispose]() {} });
	await runTurns("begin", {
		conversation,
		cli: { interruption: { ...openTurn(), openTurn } as never },
		busyInput: "steer",
		showsImage: (text) => text.includes("picture"),
		listen(listening) {
			turn = listening;
			return { [Symbol.dispose]() {} };
		},
	});
	expect(done).toEqual(["steer", "queue", false]);
	expect(asked).toEqual(["begin", "a picture", "a picture too"]);
});
