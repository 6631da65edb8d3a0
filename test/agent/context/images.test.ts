/** Images in conversations that become too long. */

import { expect, test } from "bun:test";
import { messageTokens } from "../../../lib/agent/context/estimate.ts";
import { withoutOldImages } from "../../../lib/agent/context/old-images.ts";
import { transcriptParts } from "../../../lib/agent/context/transcript.ts";
import type { Message, MessageImage } from "../../../lib/base/conversation.ts";

const image = (name?: string): MessageImage => ({
	...{ sha256: "0123456789abcdef".repeat(4), mediaType: "image/png", bytes: 3, width: 4, height: 3 },
	...(name !== undefined && { name }),
});
const asked = (content: string, ...images: MessageImage[]): Message => ({ role: "user", content, images });
const said: Message = { role: "assistant", content: "yes", toolCalls: [] };

test("messageTokens() counts 1600 for each image, whatever its size", () => {
	const words = messageTokens({ role: "user", content: "Look" });
	expect(messageTokens(asked("Look", image("a.png"), image("b.png"))) - words).toBe(3_200);
});

test("transcriptParts() names images before what was asked about them", () => {
	const messages = [asked("Look", image("a [1]\n.png"), image())];
	const [part] = transcriptParts(messages, { mask: (text) => text, partCharacters: 1_000, mostParts: 1 });
	expect(part).toBe("[user]\n[image a 1 .png]\n[image 01234567]\nLook\n\n");
});

test("withoutOldImages() leaves the images of the newest message that has any, also when that is not kept", () => {
	const [first, second, third] = [asked("1", image("a.png")), asked("2", image("b.png")), asked("", image("c.png"))];
	const all = [first, said, second, said, third, said, { role: "user", content: "4" } as const];
	expect(withoutOldImages(all, all)).toEqual([
		{ role: "user", content: "[image a.png]\n1" },
		said,
		{ role: "user", content: "[image b.png]\n2" },
		said,
		third,
		said,
		{ role: "user", content: "4" },
	]);
	expect(withoutOldImages([first, said], all)[0]).toEqual({ role: "user", content: "[image a.png]\n1" });
});
