/** Images in a chat that draws: pasted with Ctrl-V, dropped on the terminal, or named to a command, each a marker in the editor. */

import { attemptAsync } from "../../base/attempt.ts";
import type { ImageChoice } from "../../commands/command.ts";
import { type Attachments, openAttachments } from "../conversation/attachments.ts";
import { imageAttaching, pasted } from "../conversation/image-attaching.ts";
import { droppedImages } from "../conversation/image-paths.ts";
import type { Conversation } from "../runtime/open-conversation.ts";
import { visible } from "../runtime/paint.ts";
import type { Cli } from "../subcommand.ts";
import type { ChatFrame } from "./chat-frame.ts";

/** The images of one chat. */
export interface ChatImages {
	readonly attachments: Attachments;
	/** For commands. */
	readonly images: ImageChoice;
}

/** Has the editor take images from now on. Paths are those of this machine, also when commands run elsewhere. */
export function openChatImages(
	{ editor, state, screen }: Pick<ChatFrame, "editor" | "state" | "screen">,
	{ environment }: Cli,
	conversation: Conversation,
): ChatImages {
	const { home, hermesHome, variables } = environment;
	const isLocal = conversation.place.backend === "local";
	const place = () => ({ folder: isLocal ? conversation.place.shell.cwd : process.cwd(), home });
	const attachments = openAttachments(hermesHome, place);
	// Numbers of markers go on where the session stopped.
	for (const { message } of conversation.store?.listMessages(conversation.sessionId) ?? [])
		if (message.role === "user") attachments.recall(message.content, message.images);
	const hinting = async (text: () => Promise<string>) => {
		const found = await attemptAsync(text);
		if (found.ok) return found.value;
		state.hint = visible(found.reason);
		screen.draw();
		return undefined;
	};
	const insert = (text: () => Promise<string>) => editor.insertLater(hinting(text));
	state.pasteClipboard = () => insert(() => pasted({ attachments, variables }));
	editor.takePastes((text) => {
		const paths = droppedImages(text, place());
		if (paths !== undefined) insert(async () => (await Promise.all(paths.map(attachments.addFile))).join(" "));
		return paths !== undefined;
	});
	return { attachments, images: imageAttaching({ attachments, variables, place, put: editor.insert }) };
}
