/** A session that is gone on with: which one the user means, and what was said in it. */

import { statSync } from "node:fs";
import { z } from "zod";
import { attempt } from "../../base/attempt.ts";
import type { Message } from "../../base/conversation.ts";
import type { Plan } from "../../registry/agent-state.ts";
import { archiveOf } from "../../store/search/archive.ts";
import type { Store, StoredSession } from "../../store/store.ts";
import { CommandFailed } from "../exit-codes.ts";
import { answeredCalls } from "./answered-calls.ts";

/** Which session: by id, the beginning of one, or title; `latest` is the one that was active last. */
export type SessionChoice = { readonly named: string } | { readonly latest: true; readonly title?: string | undefined };

/** What the next turn starts from. */
export interface PastSession {
	readonly session: StoredSession;
	readonly messages: readonly Message[];
	/** As the session left it. */
	readonly plan: Plan;
}

/** Surfaces whose sessions `--continue` goes on with by itself. */
const ownSources = ["cli", "tui"];
const shownMatches = 5;

/**
 * The session that `choice` means: the part of its conversation that was spoken in last.
 * @throws {CommandFailed} When there is none, or more than one.
 */
export function openPastSession(store: Store, choice: SessionChoice): PastSession {
	const id = store.resumeTarget(chosenId(store, choice));
	const session = store.getSession(id);
	if (session === undefined)
		throw new CommandFailed(
			`Cannot go on with session "${id}": there is no such session; hermes sessions list shows them`,
		);
	const messages = answeredCalls(store.listMessages(id).map(({ message }) => message));
	return { session, messages, plan: planOf(store.listChainMessages(id).map(({ message }) => message)) };
}

/**
 * The session of that id, beginning of an id, or title. A title means this one and no later one of its line: what is found may be
 * deleted.
 * @throws {CommandFailed} When there is none, or more than one.
 */
export function findSession(store: Store, name: string): StoredSession {
	const wanted = name.trim();
	const titled = store.read((database) =>
		database.query<{ id: string }, [string]>("SELECT id FROM sessions WHERE title = ?").get(wanted),
	);
	const found = store.getSession(wanted) ?? store.getSession(titled?.id ?? "");
	if (found !== undefined) return found;
	const matches = wanted === "" ? [] : idsThatBeginWith(store, wanted);
	const only = matches.length === 1 ? store.getSession(matches[0] ?? "") : undefined;
	if (only !== undefined) return only;
	const state =
		matches.length === 0
			? "there is no session of that id or title; hermes sessions list shows them"
			: `it may be ${matches.slice(0, shownMatches).join(", ")}${matches.length > shownMatches ? ", …" : ""}`;
	throw new CommandFailed(`Cannot find session "${name}": ${state}`);
}

/** The folder that the session was in last, as the model was told, or began in; of those the first that still is on this machine. */
export function folderOf({ session, messages }: PastSession): string | undefined {
	const told = messages.findLast((message) => toldFolder(message) !== undefined);
	const folders = [told && toldFolder(told), session.cwd ?? undefined];
	return folders.find((folder) => folder && statSync(folder, { throwIfNoEntry: false })?.isDirectory());
}

const movingResult = z.object({ cwd: z.string().startsWith("/"), ran_on: z.literal("local") });

/** What a command of this machine said of the folder that it left the session in. */
function toldFolder(message: Message): string | undefined {
	if (message.role !== "tool" || message.toolName !== "terminal") return undefined;
	// Behind the answer may stand what the user said meanwhile.
	const answer = attempt(() => movingResult.parse(JSON.parse(message.content.split("\n", 1)[0] ?? "")));
	return answer.ok ? answer.value.cwd : undefined;
}

function chosenId(store: Store, choice: SessionChoice): string {
	const name = "named" in choice ? choice.named : choice.title;
	// Going on with a title means the newest of its line: report goes on with report #3.
	if (name !== undefined) return (store.getSession(name) ?? store.findByTitle(name) ?? findSession(store, name)).id;
	const [latest] = archiveOf((work) => store.read(work)).browse({ limit: 1, sources: ownSources });
	if (latest === undefined) throw new CommandFailed("Cannot go on with the latest session: there is none yet");
	return latest.id;
}

function idsThatBeginWith(store: Store, beginning: string): readonly string[] {
	return store.read((database) =>
		database
			.query<{ id: string }, [string, string]>(
				"SELECT id FROM sessions WHERE substr(id, 1, length(?)) = ? ORDER BY started_at DESC, rowid DESC LIMIT 20",
			)
			.all(beginning, beginning)
			.map(({ id }) => id),
	);
}

const planAnswer = z.object({
	todos: z.array(
		z.object({
			id: z.string(),
			content: z.string(),
			status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
		}),
	),
});

/** The tool keeps no file: its last answer is the plan. */
function planOf(messages: readonly Message[]): Plan {
	const answers = messages.flatMap((message) =>
		message.role === "tool" && message.toolName === "todo" ? [planAnswer.safeParse(jsonOf(message.content)).data] : [],
	);
	return { steps: answers.findLast((answer) => answer !== undefined)?.todos ?? [] };
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
