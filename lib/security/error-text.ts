/** Error texts as a model may see them: without tokens that pretend to be part of the conversation's structure. */

/** Characters of an error text that a model gets. */
const errorTextLimit = 2_000;
/** Looked at before cleaning, so that repeated passes stay cheap on any input. */
const inputLimit = 8_000;

const structuralTokens: readonly RegExp[] = [
	// Tags of roles and of tool calls, with attributes or without.
	/<\/?(?:tool_calls?|tool_results?|function_calls?|function_results?|invoke|result|response|output|input|system|assistant|user|developer|think|thinking)(?:\s[^<>]{0,200})?\/?>/gi,
	// Control tokens of chat templates: <|im_start|>, <｜tool▁calls▁begin｜>, [INST], <<SYS>>, <start_of_turn>.
	/<[|｜][^<>|｜]{1,60}[|｜]>/g,
	/\[\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]/g,
	/<<\/?SYS>>/g,
	/<\/?(?:start_of_turn|end_of_turn|bos|eos|s)>/gi,
	/<!\[CDATA\[|\]\]>/g,
	/^```(?:json|xml|html|markdown)?[ \t]*$/gm,
];

/** `text` without structural tokens, at most 2,000 characters. Removal repeats until nothing is left to remove. */
export function cleanErrorText(text: string): string {
	let current = text.slice(0, inputLimit);
	for (let previous = ""; previous !== current; ) {
		previous = current;
		current = structuralTokens.reduce((cleaned, token) => cleaned.replace(token, ""), current);
	}
	const shortened = current.length > errorTextLimit || text.length > inputLimit;
	return shortened ? `${current.slice(0, errorTextLimit - 3)}...` : current;
}
