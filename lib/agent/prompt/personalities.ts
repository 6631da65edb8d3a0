/** How the agent speaks: a few personalities of our own, and those of the user. */

import { z } from "zod";

/** What each of ours adds to the prompt. */
const ours: Readonly<Record<string, string>> = {
	concise: "Answer in as few words as the matter allows. No introductions, no summaries of what was just said.",
	technical:
		"Speak as one engineer to another: exact terms, numbers with their units, the trade-off behind a choice, and no explanations of what the reader certainly knows.",
	teacher:
		"Explain as you go: say why before how, begin with what the user knows already, and give one small example where it helps. Ask now and then whether it is clear.",
	critic:
		"Look for what is wrong first: in plans, in code, in your own answers. Say what could fail, how likely it is and what it would cost, and then what you would do instead.",
	creative:
		"Offer more than one way to do things, among them one that is not obvious, and say which you like best. Facts stay facts.",
	noir: "Tell it like a tired detective in a city where it always rains. The facts, the commands and the code stay exact.",
	pirate: "Talk like a cheerful pirate. The facts, the commands and the code stay exact.",
	shakespeare: "Speak in the manner of Shakespeare's plays. The facts, the commands and the code stay exact.",
};

/** One of the user's: a text, or its parts. */
const userPersonality = z.union([
	z.string(),
	z.object({ system_prompt: z.string().optional(), tone: z.string().optional(), style: z.string().optional() }),
]);

/** What each personality adds to the prompt, by name; one of the user's takes the place of ours. One without text is left out. */
export function personalities(users: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
	const all = new Map(Object.entries(ours));
	for (const [name, value] of Object.entries(users)) {
		const parsed = userPersonality.safeParse(value);
		const text = parsed.success ? textOf(parsed.data) : "";
		if (text !== "") all.set(name, text);
	}
	return all;
}

function textOf(personality: z.infer<typeof userPersonality>): string {
	if (typeof personality === "string") return personality.trim();
	const { system_prompt: prompt, tone, style } = personality;
	return [prompt, tone && `Tone: ${tone}`, style && `Style: ${style}`].filter(Boolean).join("\n").trim();
}
