/** Which entries of a log are wanted. A line that continues an entry goes where its head goes. */

import { isAtLeast, type Level, parseHead } from "./line.ts";

/** All given conditions must hold. */
export interface Selection {
	/** Least level. */
	readonly level?: Level;
	/** Start of a session id. */
	readonly session?: string;
	/** Milliseconds since 1970. */
	readonly since?: number;
}

/** Says of one line after the other whether it is wanted. */
export type LineFilter = (line: string) => boolean;

/** A filter that has seen nothing yet: lines before the first head belong to an entry that is not there, and are dropped. */
export function createLineFilter({ level, session, since }: Selection): LineFilter {
	let isWanted = level === undefined && session === undefined && since === undefined;
	return (line) => {
		const head = parseHead(line);
		if (!head) return isWanted;
		const loudEnough = level === undefined || isAtLeast(head.level, level);
		const ofSession = session === undefined || head.sessionId?.startsWith(session) === true;
		isWanted = loudEnough && ofSession && (since === undefined || head.time >= since);
		return isWanted;
	};
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** `30m`, `1h`, `2d` before `now`, or a date and time; undefined for anything else. Milliseconds since 1970. */
export function parseSince(written: string, now: number): number | undefined {
	const [, amount, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(written.trim()) ?? [];
	if (amount !== undefined) return now - Number(amount) * (unitSeconds[unit] ?? 0) * 1000;
	const time = /^\d{4}-\d\d-\d\d/.test(written) ? Date.parse(written.trim().replace(" ", "T")) : Number.NaN;
	return Number.isNaN(time) ? undefined : time;
}
