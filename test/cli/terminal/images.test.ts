/** Images in a chat on the terminal: markers in the editor, and pictures in the request. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ChatScene, type ChatSceneOptions, startChat } from "../../support/chat-scene.ts";
import { pngPicture } from "../../support/picture.ts";
import { keys } from "../../support/terminal-screen.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const red = pngPicture(8, 6);
const blue = pngPicture(4, 2);
const ctrlV = "\u0016";
const backspace = keys.backspace;

/** A desktop whose clipboard holds the file `clip.png`, or else what is in `clip.txt`. */
const wlPaste = `#!/bin/sh
case "$*" in
  --list-types) if test -e "$HOME/clip.png"; then echo text/plain image/png; else echo text/plain; fi ;;
  *image/png) cat "$HOME/clip.png" ;;
  *) cat "$HOME/clip.txt" 2>/dev/null ;;
esac
`;

async function startWithPictures(options: Partial<ChatSceneOptions> = {}): Promise<ChatScene> {
	const chat = await startChat({
		answers: [{ text: "Seen." }, { text: "Again." }],
		files: { "bin/wl-paste": wlPaste },
		env: { PATH: "PLACE/bin:/usr/bin:/bin" },
		...options,
	});
	chmodSync(join(chat.home, "bin/wl-paste"), 0o755);
	mkdirSync(join(chat.home, "my pictures"));
	writeFileSync(join(chat.home, "red.png"), red);
	writeFileSync(join(chat.home, "my pictures/blue.png"), blue);
	return chat;
}

/** What the last question of request `at` shows: texts, and pictures as their bytes. */
function shown(chat: ChatScene, at: number): unknown {
	const { content } = chat.requests[at]?.body.messages.findLast(({ role }) => role === "user") ?? {};
	if (!Array.isArray(content)) return content;
	return content.map(({ text, image_url }) => text ?? image_url.url);
}

const url = (picture: Buffer) => `data:image/png;base64,${picture.toString("base64")}`;

describe.concurrent("images in a chat", () => {
	test("Ctrl-V puts the picture of the clipboard into the question, its text into the editor, or says what is missing", async () => {
		await using chat = await startWithPictures();
		const { hermes, home } = chat;
		hermes.type(ctrlV);
		await hermes.shows("there is no picture in the clipboard");
		writeFileSync(join(home, "clip.txt"), "words of the clipboard");
		hermes.type(ctrlV);
		await hermes.shows(/^ words of the clipboard/m);
		hermes.type(keys.ctrlC);
		await hermes.hides("words of the clipboard");
		writeFileSync(join(home, "clip.png"), red);
		hermes.type(`what is ${ctrlV}`);
		await hermes.shows("what is [image #1: clipboard 8×6]");
		// One key for the space behind it, one for all of the marker.
		hermes.type(backspace + backspace);
		await hermes.hides("[image #1");
		hermes.type(ctrlV);
		await hermes.shows("what is [image #1: clipboard 8×6]");
		hermes.type(keys.enter);
		await hermes.shows("Seen.");
		expect(hermes.everything()).toContain("› what is [image #1: clipboard 8×6]");
		expect(shown(chat, 0)).toEqual([url(red), "what is [image #1: clipboard 8×6]"]);
	});

	test("dropped files, /image and @ attach what they name; /retry asks with the same, and a later run goes on with it", async () => {
		await using chat = await startWithPictures({ answers: ["One.", "Two.", "Three."].map((text) => ({ text })) });
		const { hermes, home } = chat;
		hermes.type(keys.paste(`'${home}/red.png' file://${home}/my%20pictures/blue.png`));
		await hermes.shows("[image #1: red.png 8×6] [image #2: blue.png 4×2]");
		hermes.type(keys.ctrlC);
		await hermes.shows("Ctrl-C again leaves");
		hermes.type(keys.paste(`${home}/my\\ pictures/blue.png`));
		await hermes.shows("[image #2: blue.png 4×2]");
		hermes.type(keys.ctrlC);
		await hermes.shows("Ctrl-C again leaves");
		hermes.type(`/image red.png${keys.enter}`);
		await hermes.shows("[image #1: red.png 8×6] goes with what you say next");
		hermes.type(`and @"my pictures/blue.png" ?${keys.enter}`);
		await hermes.shows("One.");
		const question = [url(red), url(blue), "[image #1: red.png 8×6] and [image #2: blue.png 4×2] ?"];
		expect(shown(chat, 0)).toEqual(question);
		await hermes.hides("Ctrl-C stops");
		hermes.type(`/retry${keys.enter}`);
		await hermes.shows("Two.");
		expect(shown(chat, 1)).toEqual(question);
		await hermes.hides("Ctrl-C stops");
		hermes.type(keys.ctrlD);
		await hermes.exitCode;
		const next = await chat.again(["--continue"]);
		await next.shows("[image #2: blue.png 4×2] ?");
		next.type(`more${keys.enter}`);
		await next.shows("Three.");
		expect(JSON.stringify(chat.requests.at(-1)?.body.messages)).toContain(url(blue));
	});

	test("a chat line by line has /image too", async () => {
		await using chat = await startWithPictures({ env: { TERM: "dumb" } });
		const { hermes } = chat;
		hermes.type(`/image red.png${keys.enter}`);
		await hermes.shows("[image #1: red.png 8×6] goes with what you say next");
		hermes.type(`what is it?${keys.enter}`);
		await hermes.shows("Seen.");
		expect(shown(chat, 0)).toEqual([url(red), "[image #1: red.png 8×6] what is it?"]);
	});
});
