/** What is wrong with the value of a flag, as one sentence. */

import type { z } from "zod";

/** `Cannot use "0" as --max-turns: the least is 1`. `typed` is the value as it stood on the command line. */
export function flagProblem(flag: string, typed: unknown, issue: z.core.$ZodIssue): string {
	return `Cannot use "${String(typed)}" as ${flag}: ${stateOf(issue)}`;
}

function stateOf(issue: z.core.$ZodIssue): string {
	switch (issue.code) {
		case "invalid_value":
			return `there is ${issue.values.join(", ")}`;
		case "too_small":
			return issue.inclusive === false ? `it must be more than ${issue.minimum}` : `the least is ${issue.minimum}`;
		case "too_big":
			return issue.inclusive === false ? `it must be less than ${issue.maximum}` : `the most is ${issue.maximum}`;
		case "invalid_type":
			return issue.expected === "int" ? "it is not a whole number" : `it is not a ${issue.expected}`;
		default:
			return issue.message;
	}
}
