/** Takes secrets out of an answer, text by text, so that it stays the same JSON object. */

import type { RedactOptions, Redactor } from "../../security/redact.ts";
import { isNode } from "../schema/nodes.ts";
import { type Tool, type ToolAnswer, toolResult } from "../tool.ts";

/** Fields that are credentials whatever stands in them; cursors such as `next_page_token` are none. */
const secretField =
	/^(?:api_?key|token|secret|password|passwd|access_?token|refresh_?token|auth_?token|id_?token|bearer|authorization|client_?secret|secret_?value|raw_?secret|secret_?input|key_?material|private_?key|secret_?access_?key)$/i;

/** `answer` itself when there is nothing to mask. */
export function redactAnswer(
	answer: ToolAnswer,
	redact: Redactor,
	tool: Pick<Tool, "showsFiles"> | undefined,
): ToolAnswer {
	const isCode = tool?.showsFiles === true;
	const options: RedactOptions = { keepUrls: true, code: isCode };
	// What is masked as a text of its own is masked in JSON too, only that an escaped line end hides the start of a word.
	const value: unknown = JSON.parse(answer);
	const clean = maskPart(value, { redact, options, isCode });
	return clean === value || !isNode(clean) ? answer : toolResult(clean);
}

interface Masking {
	readonly redact: Redactor;
	readonly options: RedactOptions;
	readonly isCode: boolean;
}

/** The same object when nothing in it changed. */
function maskPart(part: unknown, masking: Masking): unknown {
	if (typeof part === "string") return masking.redact(part, masking.options);
	if (Array.isArray(part)) {
		const masked = part.map((entry) => maskPart(entry, masking));
		return masked.every((entry, index) => entry === part[index]) ? part : masked;
	}
	return isNode(part) ? maskFields(part, masking) : part;
}

function maskFields(part: Readonly<Record<string, unknown>>, masking: Masking): unknown {
	let isSame = true;
	const fields = Object.entries(part).map(([name, value]) => {
		const isSecret = !masking.isCode && typeof value === "string" && secretField.test(name);
		// In the words of an assignment, so that what is harmless (a reference, an empty text) stays.
		const masked = isSecret ? maskField(value, masking) : maskPart(value, masking);
		isSame &&= masked === value;
		return [name, masked];
	});
	return isSame ? part : Object.fromEntries(fields);
}

function maskField(value: string, { redact }: Masking): string {
	const quoted = `password=${JSON.stringify(value)}`;
	const masked = redact(quoted);
	return masked === quoted ? value : masked.slice("password=".length).replace(/^"|"$/g, "");
}
