/** The commands of the line chat that are about sessions: to name them, to change between them, to go back in them. */

import { archiveOf } from "../../store/search/archive.ts";
import { createSessionId } from "../../store/session-id.ts";
import type { Store } from "../../store/store.ts";
import { CommandFailed } from "../exit-codes.ts";
import { printable } from "../runtime/paint.ts";
import { listedSession } from "../sessions/list.ts";
import { oneLine, sessionLine } from "../sessions/shown.ts";
import type { ChatScene, SlashCommand } from "./slash-commands.ts";

const listedSessions = 10;

/** By name. */
export const sessionCommands: Readonly<Record<string, SlashCommand>> = {
	"/sessions": {
		form: "/sessions [WORDS]",
		meaning: "the latest sessions, or those in which these words were said",
		run: kept(listSessions),
	},
	"/resume": { form: "/resume [SESSION]", meaning: "go on with another session", run: kept(resume) },
	"/title": {
		form: "/title [TITLE]",
		meaning: "show the title of this session, or give it one",
		run: kept(showOrSetTitle),
	},
	"/branch": {
		form: "/branch [TITLE]",
		meaning: "go on in a copy of this session; this one stays as it is",
		run: kept(branch),
	},
	"/rewind": {
		form: "/rewind [N]",
		meaning: "take back your last question, or the last N, and all that followed",
		run: kept(rewind),
	},
};

type KeptScene = ChatScene & { readonly store: Store };

/** A conversation that is not kept has no sessions; what cannot be done is one line, and the chat goes on. */
function kept(run: (scene: KeptScene, argument: string) => void): SlashCommand["run"] {
	return (scene, argument) => {
		const { store } = scene.conversation;
		try {
			if (store === undefined) throw new CommandFailed("Cannot use sessions: this conversation is not kept");
			run({ ...scene, store }, argument.trim());
		} catch (cause) {
			if (!(cause instanceof CommandFailed)) throw cause;
			scene.output.write(`${printable(cause.message)}\n`);
		}
		return undefined;
	};
}

function listSessions({ store, conversation, output }: KeptScene, query: string): void {
	const archive = archiveOf((work) => store.read(work));
	const ids =
		query === ""
			? archive.browse({ limit: listedSessions }).map(({ id }) => id)
			: archive.search({ query, limit: listedSessions }).hits.map(({ sessionId }) => sessionId);
	if (ids.length === 0) output.write("Nothing was found\n");
	for (const id of ids) {
		const session = store.getSession(id);
		const mark = id === conversation.sessionId ? "* " : "  ";
		if (session !== undefined) output.write(`${mark}${sessionLine(listedSession(store, session))}`);
	}
}

function resume(scene: KeptScene, name: string): void {
	if (name === "") {
		listSessions(scene, "");
		scene.output.write("Go on with one of them: /resume SESSION\n");
		return;
	}
	const { conversation, output } = scene;
	conversation.resume({ named: name });
	output.write(`Session ${conversation.sessionId}\n`);
	showLastWords(scene);
}

function showOrSetTitle({ store, conversation, output }: KeptScene, wanted: string): void {
	const { sessionId } = conversation;
	if (wanted === "") {
		const title = store.getSession(sessionId)?.title;
		output.write(title == null ? "This session has no title yet: /title TITLE\n" : `Title ${printable(title)}\n`);
		return;
	}
	const title = store.setTitle(sessionId, wanted);
	if (!title.ok) throw new CommandFailed(title.reason);
	output.write(`Title ${printable(title.value)}\n`);
}

function branch({ store, conversation, output }: KeptScene, wanted: string): void {
	const origin = store.getSession(conversation.sessionId);
	if (origin === undefined || origin.messageCount === 0) throw new CommandFailed("Cannot branch: nothing was said yet");
	const id = createSessionId();
	store.branchSession(origin.id, { id });
	const title = wanted || (origin.title === null ? "" : store.nextTitle(origin.title));
	const named = title === "" ? undefined : store.setTitle(id, title);
	conversation.resume({ named: id });
	if (named?.ok === false) output.write(`${printable(named.reason)}\n`);
	output.write(`Session ${id} goes on from ${origin.id}; /resume ${origin.id} goes back\n`);
}

function rewind(scene: KeptScene, argument: string): void {
	const { store, conversation, output } = scene;
	const count = argument === "" ? 1 : Number(argument);
	if (!Number.isInteger(count) || count < 1)
		throw new CommandFailed("Cannot rewind: say how many questions, as in /rewind 2");
	const asked = store
		.listMessages(conversation.sessionId)
		.filter(({ message }) => message.role === "user" && message.origin === undefined);
	const target = asked.at(-count);
	if (target === undefined) throw new CommandFailed(`Cannot rewind: this session has ${asked.length} questions`);
	const text = store.rewind(conversation.sessionId, target.id) ?? "";
	conversation.reload();
	output.write(`Taken back, with all that followed: ${oneLine(text, 200)}\n`);
}

/** A reminder of where the session stands. */
function showLastWords({ store, conversation, output }: KeptScene): void {
	const { end } = archiveOf((work) => store.read(work)).spokenEnds(conversation.sessionId, 2);
	for (const { role, content } of end) output.write(`  ${role}: ${oneLine(content, 160)}\n`);
}
