/** Consents that were given for good: a file of their hashes in HERMES_HOME that nobody else can write. */

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "../../base/atomic-write.ts";
import { attempt } from "../../base/attempt.ts";
import { takeFileLock } from "../../base/file-lock.ts";
import { isCategory } from "../commands/categories.ts";
import type { ConsentKey } from "./consent-keys.ts";
import { trustProblem } from "./file-trust.ts";

const row = z.object({
	id: z.string(),
	key: z.string().regex(/^[0-9a-f]{64}$/),
	category: z.string().refine(isCategory),
	subject: z.string(),
	place: z.string(),
	cwd: z.string().optional(),
	added: z.string(),
});
const content = z.object({ approvals: z.array(z.unknown()) });

/** One consent, as a person may see it. */
export type SavedApproval = z.output<typeof row>;

/** What is known of a consent besides its key. */
export interface ConsentOrigin {
	readonly place: string;
	readonly cwd?: string | undefined;
}

/** The file of saved consents. It is read anew each time: what was revoked elsewhere counts at once. */
export interface SavedApprovals {
	list(): readonly SavedApproval[];
	has(key: string): boolean;
	/** @throws When the file cannot be written. */
	add(keys: readonly ConsentKey[], origin: ConsentOrigin): Promise<void>;
	/** Gives what was removed; the beginning of an id is enough when it fits one only. */
	revoke(ids: readonly string[] | "all"): Promise<readonly SavedApproval[]>;
	/** Why the file is not believed; undefined when nothing is wrong with it. */
	problem(): string | undefined;
}

const lockLimitMs = 10_000;
/** Characters of a command that are kept for a person to recognise it by. */
const longestSubject = 2_000;

/** `redact` takes secrets out of what is kept to be shown. */
export function savedApprovals(home: string, redact: (text: string) => string = (text) => text): SavedApprovals {
	const path = join(home, "approvals.json");
	const list = () => (trustProblem(path) === undefined ? readRows(path) : []);

	const change = async (make: (rows: readonly SavedApproval[]) => readonly SavedApproval[]) => {
		mkdirSync(home, { recursive: true, mode: 0o700 });
		using _lock = await takeFileLock(join(home, ".approvals.lock"), AbortSignal.timeout(lockLimitMs));
		const text = JSON.stringify({ approvals: make(list()) }, null, "\t");
		writeFileAtomically(path, `${text}\n`, { newMode: 0o600, keptBits: 0o600 });
	};

	return {
		list,
		has: (key) => list().some((saved) => saved.key === key),
		problem: () => trustProblem(path),
		async add(keys, { place, cwd }) {
			const added = new Date().toISOString();
			await change((rows) => {
				const known = new Set(rows.map(({ key }) => key));
				const fresh = keys.filter(({ key }) => !known.has(key));
				const made = fresh.map(({ key, category, subject }): SavedApproval => {
					const shown = redact(subject).slice(0, longestSubject);
					return {
						id: key.slice(0, 12),
						key,
						category,
						subject: shown,
						place,
						...(cwd !== undefined && { cwd }),
						added,
					};
				});
				return [...rows, ...made];
			});
		},
		async revoke(ids) {
			const removed = list().filter((saved) => ids === "all" || ids.some((id) => isMeant(saved, id, list())));
			const gone = new Set(removed.map(({ key }) => key));
			if (gone.size > 0) await change((rows) => rows.filter(({ key }) => !gone.has(key)));
			return removed;
		},
	};
}

function isMeant(saved: SavedApproval, id: string, all: readonly SavedApproval[]): boolean {
	return (
		saved.id === id || (id !== "" && saved.id.startsWith(id) && all.filter((one) => one.id.startsWith(id)).length === 1)
	);
}

/** Rows that cannot be read are left out: a broken file means being asked again, never a consent. */
function readRows(path: string): SavedApproval[] {
	const text = attempt(() => readFileSync(path, "utf8"));
	if (!text.ok) return [];
	const parsed = attempt((): unknown => JSON.parse(text.value));
	const known = parsed.ok ? content.safeParse(parsed.value) : undefined;
	if (known?.success !== true) return [];
	return known.data.approvals.flatMap((value) => {
		const read = row.safeParse(value);
		return read.success ? [read.data] : [];
	});
}
