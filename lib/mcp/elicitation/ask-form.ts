/** Goes through a form with the user, one question a field. */

import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import type { AskUser } from "../../registry/agent-state.ts";
import { type Field, type FieldValue, fieldsOf, parseAnswer } from "./fields.ts";

/** A form of a server. */
export interface FormQuestion {
	/** Name of the server, which the user has chosen; the rest is the server's own. */
	readonly server: string;
	readonly form: ElicitRequestFormParams;
	readonly ask: AskUser;
	readonly signal: AbortSignal;
}

const mostTries = 3;
const decline = "decline";
const leaveOut = "leave it out";

/** `cancel` when the user gives no answer, or none that fits in three tries. */
export async function askForm({ server, form, ask, signal }: FormQuestion): Promise<ElicitResult> {
	const fields = fieldsOf(form.requestedSchema);
	const intro = `MCP server "${server}" asks: ${form.message}`;
	if (fields.length !== 1) {
		const refused = await askWhether(fields, { question: intro, ask, signal });
		if (refused !== undefined) return refused;
	}
	const content: Record<string, FieldValue> = {};
	for (const [at, field] of fields.entries()) {
		const question =
			fields.length === 1 ? `${intro}\n    ${field.label}` : `${at + 1} of ${fields.length}: ${field.label}`;
		const asked = await askField(field, { question, ask, signal });
		if (asked.action !== "accept") return asked;
		if (asked.given !== undefined) content[field.name] = asked.given;
	}
	return { action: "accept", content };
}

type Asking = { readonly question: string } & Pick<FormQuestion, "ask" | "signal">;

/** What it will be about, before the first question of several; undefined when the user agrees. */
async function askWhether(
	fields: readonly Field[],
	{ question, ask, signal }: Asking,
): Promise<{ readonly action: "decline" | "cancel" } | undefined> {
	const names = fields.map(({ label, isRequired }) => `\n    ${label}${isRequired ? "" : " (optional)"}`).join("");
	const agree = fields.length === 0 ? "accept" : "answer";
	const answer = await ask({ question: `${question}${names}`, choices: [agree, decline], signal });
	if (answer === agree) return undefined;
	return { action: answer === decline ? "decline" : "cancel" };
}

type Asked =
	| { readonly action: "accept"; readonly given: FieldValue | undefined }
	| { readonly action: "decline" | "cancel" };

async function askField(field: Field, { question, ask, signal }: Asking): Promise<Asked> {
	let problem = "";
	for (let attempt = 0; attempt < mostTries; attempt++) {
		const choices = choicesOf(field);
		const answer = await ask({ question: `${question}${hintOf(field)}${problem}`, choices, signal });
		if (answer === undefined) return { action: "cancel" };
		if (answer === decline && !field.choices.some(({ value }) => value === decline)) return { action: "decline" };
		if (answer === leaveOut && !field.isRequired) return { action: "accept", given: undefined };
		if (field.default !== undefined && answer === usual(field.default))
			return { action: "accept", given: field.default };
		const parsed = parseAnswer(field, answer);
		if (parsed.ok) return { action: "accept", given: parsed.value };
		problem = `\n    ${parsed.problem}`;
	}
	return { action: "cancel" };
}

function choicesOf(field: Field): readonly string[] {
	const own = field.kind === "one" ? field.choices.map(({ title }) => title) : [];
	const values = field.kind === "boolean" ? ["yes", "no"] : own;
	return [
		...values,
		...(field.default === undefined ? [] : [usual(field.default)]),
		...(field.isRequired ? [] : [leaveOut]),
		decline,
	];
}

function usual(value: FieldValue): string {
	return `as proposed: ${Array.isArray(value) ? value.join(", ") : value}`;
}

function hintOf({ kind, choices, format }: Field): string {
	if (kind === "many") return ` (several of ${choices.map(({ title }) => title).join(", ")}, split by commas)`;
	if (kind === "number" || kind === "integer") return " (a number)";
	return format === undefined ? "" : ` (${format})`;
}
