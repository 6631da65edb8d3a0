/** The task of a child where it only has to be told from others. */

/** Characters that are shown of a goal, and kept of it on disk. */
const shown = 200;
const kept = 4_000;

/** The beginning of a goal; the agent that wrote it knows the rest. */
export function shortGoal(goal: string): string {
	return cut(goal, shown);
}

/** As much of a goal as a record has. */
export function keptGoal(goal: string): string {
	return cut(goal, kept);
}

/** The first line of a goal, for one line. */
export function goalLine(goal: string): string {
	return cut(goal.split("\n", 1)[0] ?? "", shown);
}

function cut(text: string, room: number): string {
	return text.length > room ? `${text.slice(0, room - 1)}…` : text;
}
