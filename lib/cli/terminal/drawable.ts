/** Whether a terminal understands what a drawn chat sends to it. */

/** `term` is what TERM says; on Windows nothing sets it, and the terminals there can be drawn on. */
export function canBeDrawnOn(term: string | undefined): boolean {
	if (term === "dumb") return false;
	return process.platform === "win32" || (term ?? "") !== "";
}
