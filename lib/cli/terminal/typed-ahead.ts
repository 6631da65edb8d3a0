/** What was typed before the terminal was ours: it has made a line feed of each Enter, which means something else in an editor. */

/**
 * Passes keys on, and makes an Enter of a line feed in what comes first, all at once: it has waited in the terminal. A line feed that
 * somebody types as the very first key does nothing, which is what an Enter in an empty editor does.
 */
export function hearTypedAhead(hear: (key: string) => void): (key: string) => void {
	let phase: "before" | "first" | "after" = "before";
	return (key) => {
		if (phase === "before") {
			phase = "first";
			setTimeout(() => {
				phase = "after";
			}, 0);
		}
		hear(phase === "first" && key === "\n" ? "\r" : key);
	};
}
