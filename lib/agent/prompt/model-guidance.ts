/** What some families of models have to be told besides: some announce what they will do instead of doing it (#6120). */

/** Families that are told to act when the settings leave it to us (`auto`). */
const talkative = ["gpt", "codex", "gemini", "gemma", "grok", "glm", "qwen", "deepseek"];

const acting = `Acting:
- Do not announce a step and stop there. When you say that you will do something, make the call in the same message.
- End a message without a call only when the task is done, or when only the user can decide how it goes on.`;

/** Further words by family: the first that a model's name holds counts. */
const families: readonly (readonly [readonly string[], string])[] = [
	[
		["gemini", "gemma"],
		`- Name files by absolute paths. Make sure that a library is there before you use it.
- Make calls that do not need each other's results in one message. Keep what you say between them to a line.`,
	],
	[
		["gpt", "codex", "grok"],
		`- Sums, times, hashes, versions, the state of this machine, of files and of a repository come from a call, also when you believe that you know them.
- When a call gives nothing or too little, try another way before you give up; what a step needs is looked up first, not assumed.
- Choose the plain reading of a request and go on with it; ask only when another reading would mean other work that cannot be undone.
- Before the last answer, compare what was asked with what was done.`,
	],
];

/** Empty where nothing is to be said. `setting` is `agent.tool_use_enforcement`: auto, true, false, or names that models hold. */
export function modelGuidance(model: string, setting: unknown): string {
	const name = model.toLowerCase();
	if (!insists(name, setting)) return "";
	const own = families.find(([names]) => names.some((each) => name.includes(each)));
	return own === undefined ? acting : `${acting}\n${own[1]}`;
}

function insists(model: string, setting: unknown): boolean {
	if (setting === true || setting === "true") return true;
	if (setting === false || setting === "false") return false;
	const names = Array.isArray(setting) ? setting.filter((each) => typeof each === "string") : talkative;
	return names.some((each) => each.trim() !== "" && model.includes(each.trim().toLowerCase()));
}
