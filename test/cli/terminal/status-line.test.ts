/** The lowest line of a chat. */

import { expect, test } from "bun:test";
import { statusText } from "../../../lib/cli/terminal/status-line.ts";

test.each([
	{ facts: {}, text: "" },
	{ facts: { model: "m", place: "local:~" }, text: "m · local:~" },
	{ facts: { hint: "Ctrl-C again leaves", model: "m" }, text: "Ctrl-C again leaves · m" },
	{ facts: { context: { used: 950 } }, text: "950 tokens" },
	{ facts: { context: { used: 1_500, limit: 128_000 } }, text: "1.5k/128k (1%)" },
	{ facts: { context: { used: 900_000, limit: 1_000_000 } }, text: "900k/1.0M (90%)" },
	{ facts: { cost: 0.01234 }, text: "$0.0123" },
	{ facts: { cost: 12.3 }, text: "$12.30" },
	{ facts: { subagents: 1, queued: 2 }, text: "1 sub-agent · 2 waiting" },
])("statusText($facts) is $text", ({ facts, text }) => {
	expect(statusText(facts)).toBe(text);
});
