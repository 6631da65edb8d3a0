/** `hermes sessions search`: messages of the past that have these words. */

import { resolve } from "node:path";
import { z } from "zod";
import { shownTime } from "../../base/shown-time.ts";
import { parseSince } from "../../log/select.ts";
import { archiveOf } from "../../store/search/archive.ts";
import type { SearchHit, SearchResult } from "../../store/search/search-messages.ts";
import { jsonFlag, splitNames } from "../common-flags.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { type Paint, paintFor, visible } from "../runtime/paint.ts";
import { type Cli, defineAction } from "../subcommand.ts";
import { openSessionsIfAny } from "./open-sessions.ts";
import { isoTime } from "./shown.ts";

const roles: readonly string[] = ["user", "assistant", "tool"];

const names = z.string().transform(splitNames).optional();

/** Best first, one message a conversation. */
export const search = defineAction({
	summary: "Search what was said in all sessions",
	details: [
		'All words must be there. OR, NOT and brackets group them, "a phrase" is taken as it is, begin* has any end. Capitals',
		"and accents do not count. Exit code 1 when nothing was found.",
	].join("\n"),
	operands: "QUERY...",
	flagsAnywhere: true,
	flags: jsonFlag.extend({
		limit: z.coerce
			.number()
			.int()
			.min(1)
			.default(10)
			.meta({ short: "n", value: "N", description: "Conversations to show (default: 10)" }),
		all: z
			.boolean()
			.default(false)
			.meta({ description: "Every message that was found, not the best of each conversation" }),
		source: names.meta({
			value: "S,…",
			description: "Only sessions that began there: cli, cron, telegram, subagent, …",
		}),
		role: names.meta({ value: "R,…", description: "Only what these said: user, assistant, tool" }),
		since: z.string().optional().meta({ value: "TIME", description: "Not before 30m, 1h, 2d ago, or a date" }),
		until: z.string().optional().meta({ value: "TIME", description: "Before that time" }),
		folder: z
			.string()
			.optional()
			.meta({ value: "D", description: "Only sessions that worked in this folder or below" }),
		sort: z
			.enum(["best", "newest", "oldest"])
			.default("best")
			.meta({ value: "ORDER", description: "best, newest or oldest" }),
	}),

	async run({ flags, operands }, cli) {
		const stranger = flags.role?.find((role) => !roles.includes(role));
		if (stranger !== undefined) {
			throw new UsageError(`Cannot search what "${stranger}" said: --role takes ${roles.join(", ")}`);
		}
		using store = openSessionsIfAny(cli);
		const options = {
			query: operands.join(" "),
			limit: flags.limit,
			allMessages: flags.all,
			sources: flags.source,
			roles: flags.role,
			since: timeOf("since", flags.since),
			until: timeOf("until", flags.until),
			folder: flags.folder === undefined ? undefined : resolve(flags.folder),
			sort: flags.sort,
		};
		const found: SearchResult =
			store === undefined ? { hits: [] } : archiveOf((work) => store.read(work)).search(options);
		if (found.problem !== undefined) cli.stderr.write(`hermes: ${found.problem}\n`);
		if (flags.json) cli.stdout.write(`${JSON.stringify(found.hits.map(hitRow), null, 2)}\n`);
		else printHits(found, cli);
		return found.hits.length === 0 ? exitCodes.failure : exitCodes.ok;
	},
});

function printHits({ hits, loosened }: SearchResult, cli: Cli): void {
	if (hits.length === 0) cli.stderr.write("hermes: nothing was found\n");
	if (loosened === "endings")
		cli.stderr.write("hermes: no message has these very words; these have words that begin with them\n");
	if (loosened === "some") cli.stderr.write("hermes: no message has all of these words; these have some of them\n");
	const paint = paintFor(cli.stdout, cli.environment);
	for (const hit of hits) cli.stdout.write(hitText(hit, paint));
}

function hitText(hit: SearchHit, paint: Paint): string {
	const title = hit.title === null ? "" : `  ${visible(hit.title)}`;
	const head = `${hit.sessionId}  ${shownTime(hit.timestamp * 1000)}  ${hit.role}${title}`;
	const snippet = visible(hit.snippet).replace(/>>>(.*?)<<</g, (marked, word) => {
		const bold = paint("bold", word);
		return bold === word ? marked : bold;
	});
	return `${head}\n    ${snippet}\n`;
}

function hitRow(hit: SearchHit) {
	return {
		session_id: hit.sessionId,
		lineage_root: hit.rootId,
		message_id: hit.messageId,
		role: hit.role,
		timestamp: isoTime(hit.timestamp),
		snippet: hit.snippet,
		title: hit.title,
		source: hit.source,
		model: hit.model,
		cwd: hit.cwd,
		started_at: isoTime(hit.startedAt),
	};
}

function timeOf(flag: string, written: string | undefined): number | undefined {
	if (written === undefined) return undefined;
	const time = parseSince(written, Date.now());
	if (time === undefined)
		throw new UsageError(`Cannot search ${flag} "${written}": say 30m, 1h, 2d, or a date such as 2026-07-01`);
	return time / 1000;
}
