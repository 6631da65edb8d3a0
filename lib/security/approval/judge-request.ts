/** What is to be said against a request: the hard line, and each danger that needs consent. */

import type { Category, Danger } from "../commands/categories.ts";
import { writeCategory } from "../commands/file-places.ts";
import { inspectCommand } from "../commands/inspect-command.ts";
import { dangersLeft, type Isolation } from "./isolation.ts";
import { type ApprovalRequest, filesOf } from "./request.ts";

/** Where requests are carried out. */
export interface ApprovalPlace {
	/** Consent given for one machine does not count on another: `local`, `ssh:me@box`, `docker`. */
	readonly name?: string;
	/** The user's home there; without it only `~` and `$HOME` are known to be a home. */
	readonly home?: string;
	readonly hermesHome?: string;
	/** `none` when left out. */
	readonly isolation?: Isolation;
}

/** What was found. */
export interface Judgement {
	/** Why it must never happen, in words for the model. */
	readonly hardline: string | undefined;
	readonly dangers: readonly Danger[];
}

/** The same for every surface that asks. */
export function judgeRequest(request: ApprovalRequest, place: ApprovalPlace): Judgement {
	const isolation = place.isolation ?? { kind: "none" };
	if (request.kind === "script") return only("script");
	if (request.kind === "note") return only("note");
	if (request.kind === "command") {
		const { command, cwd } = request;
		const { home, hermesHome } = place;
		const found = inspectCommand(command, {
			...(cwd !== undefined && { cwd }),
			...(home !== undefined && { home }),
			...(hermesHome !== undefined && { hermesHome }),
		});
		return { hardline: found.hardline, dangers: dangersLeft(found.dangers, isolation) };
	}
	const where = { home: place.home, hermesHome: place.hermesHome };
	const categories = new Set<Category>();
	for (const path of filesOf(request)) {
		const category = writeCategory(path, undefined, where);
		if (category !== undefined) categories.add(category);
	}
	const dangers = [...categories].map((category) => ({ category }));
	return { hardline: undefined, dangers: dangersLeft(dangers, isolation) };
}

function only(category: Category): Judgement {
	return { hardline: undefined, dangers: [{ category }] };
}
