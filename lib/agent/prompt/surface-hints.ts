/** What the model is told of the place where its words are read. */

const hints: Readonly<Record<string, string>> = {
	cli: "Your answers are read in a terminal: plain words and short lines, code in fenced blocks, no tables wider than a screen, no pictures. Name files by their paths.",
	cron: "Nobody is there while you work: you were started by a schedule. Do not ask, decide yourself, and let the last answer be what should be delivered.",
	api_server: "Your answers go to another program. Keep to the form that was asked for, and put nothing around it.",
};

/** Empty for a surface of which nothing is known. */
export function surfaceHint(surface: string): string {
	return Object.hasOwn(hints, surface) ? (hints[surface] ?? "") : "";
}
