/** What the doctor says about one thing. */

/** One line of the report, as `--json` prints it but for `repair`. */
export interface Finding {
	readonly section: Section;
	readonly name: string;
	/** `off`: not there, and nothing that is set up needs it. */
	readonly status: "ok" | "warning" | "failed" | "off";
	/** What was seen. Never a secret. */
	readonly detail: string;
	/** What to do about it. */
	readonly remedy?: string;
	/** Does what `--fix` may do about it. */
	repair?(): void;
}

/** The parts of a report, in their order. */
export const sections = ["runtime", "home", "config", "keys", "backends", "tools", "programs"] as const;

/** One part. */
export type Section = (typeof sections)[number];
