/** The fields of a form that a server shows, and what an answer to one of them must be. */

import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/sdk/types.js";

/** What a form is answered with. */
export type FieldValue = NonNullable<ElicitResult["content"]>[string];

/** A choice of a field that has some. */
export interface FieldChoice {
	readonly value: string;
	readonly title: string;
}

/** One field. */
export interface Field {
	readonly name: string;
	/** For a person. */
	readonly label: string;
	readonly isRequired: boolean;
	readonly kind: "text" | "number" | "integer" | "boolean" | "one" | "many";
	readonly choices: readonly FieldChoice[];
	readonly format?: string | undefined;
	/** Of characters, of the number, or of what is picked. */
	readonly least?: number | undefined;
	readonly most?: number | undefined;
	readonly default?: FieldValue | undefined;
}

/** What the user typed, as the server wants it. */
export type ParsedAnswer =
	| { readonly ok: true; readonly value: FieldValue }
	| { readonly ok: false; readonly problem: string };

type Schema = ElicitRequestFormParams["requestedSchema"];
type Property = Schema["properties"][string];

/** In the order of the schema. */
export function fieldsOf({ properties, required = [] }: Schema): readonly Field[] {
	return Object.entries(properties).map(([name, property]) => {
		const words = [property.title ?? name, property.description].filter((word) => word !== undefined && word !== "");
		const common = { name, label: words.join(": "), isRequired: required.includes(name), default: property.default };
		return { ...common, ...shapeOf(property) };
	});
}

function shapeOf(property: Property): Pick<Field, "kind" | "choices" | "least" | "most" | "format"> {
	switch (property.type) {
		case "boolean":
			return { kind: "boolean", choices: [] };
		case "number":
		case "integer":
			return { kind: property.type, choices: [], least: property.minimum, most: property.maximum };
		case "array": {
			const { items, minItems, maxItems } = property;
			const choices = "anyOf" in items ? items.anyOf.map(titled) : items.enum.map(plain);
			return { kind: "many", choices, least: minItems, most: maxItems };
		}
		case "string":
			return textShape(property);
	}
}

function textShape(property: Extract<Property, { type: "string" }>): Pick<Field, "kind" | "choices" | "format"> {
	if ("oneOf" in property) return { kind: "one", choices: property.oneOf.map(titled) };
	if ("enum" in property) {
		const names = "enumNames" in property ? property.enumNames : undefined;
		return { kind: "one", choices: property.enum.map((value, at) => ({ value, title: names?.[at] ?? value })) };
	}
	const { minLength, maxLength, format } = property;
	return { kind: "text", choices: [], ...{ least: minLength, most: maxLength }, format };
}

function titled({ const: value, title }: { readonly const: string; readonly title: string }): FieldChoice {
	return { value, title };
}

function plain(value: string): FieldChoice {
	return { value, title: value };
}

const secretWords =
	/\b(?:passwords?|passwd|passphrase|secrets?|tokens?|api[\s_-]?keys?|private[\s_-]?keys?|access[\s_-]?keys?|credentials?|pin|otp|cvv|cvc)\b/i;

/**
 * Why a form must not be shown: secrets have no business in one (the protocol forbids it), since what is typed passes through
 * programs and logs. Descriptions do not count: some say that a secret must not be given.
 */
export function secretIn(schema: Schema): string | undefined {
	for (const [name, { title }] of Object.entries(schema.properties)) {
		// `apiKey` and `access_token` are words for this.
		const spaced = name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/_/g, " ");
		if ([name, spaced, title].some((text) => text !== undefined && secretWords.test(text))) return name;
	}
	return undefined;
}

/** Reads one answer. */
export function parseAnswer(field: Field, typed: string): ParsedAnswer {
	const text = typed.trim();
	switch (field.kind) {
		case "text":
			return checkText(field, text);
		case "boolean":
			if (/^(?:y|yes|true|on|1)$/i.test(text)) return { ok: true, value: true };
			if (/^(?:n|no|false|off|0)$/i.test(text)) return { ok: true, value: false };
			return { ok: false, problem: "it must be yes or no" };
		case "number":
		case "integer":
			return checkNumber(field, text);
		case "one":
			return pick(field, text);
		case "many":
			return pickMany(field, text);
	}
}

function checkText({ least = 0, most = Number.POSITIVE_INFINITY, format }: Field, text: string): ParsedAnswer {
	const { length } = [...text];
	if (length < least) return { ok: false, problem: `it must have ${least} characters at least` };
	if (length > most) return { ok: false, problem: `it must have ${most} characters at most` };
	const isWrong = format !== undefined && formats[format]?.(text) === false;
	return isWrong ? { ok: false, problem: `it is no ${format}` } : { ok: true, value: text };
}

const formats: Readonly<Record<string, (text: string) => boolean>> = {
	email: (text) => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text),
	uri: (text) => URL.canParse(text),
	date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
	"date-time": (text) =>
		/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text) &&
		!Number.isNaN(Date.parse(text)),
};

function checkNumber({ kind, least, most }: Field, text: string): ParsedAnswer {
	const value = Number(text);
	if (text === "" || !Number.isFinite(value)) return { ok: false, problem: "it must be a number" };
	if (kind === "integer" && !Number.isInteger(value)) return { ok: false, problem: "it must be a whole number" };
	if (least !== undefined && value < least) return { ok: false, problem: `it must be ${least} or more` };
	if (most !== undefined && value > most) return { ok: false, problem: `it must be ${most} or less` };
	return { ok: true, value };
}

function pick({ choices }: Field, text: string): ParsedAnswer {
	const found = choices.find(({ value, title }) => value === text || title === text);
	if (found !== undefined) return { ok: true, value: found.value };
	return { ok: false, problem: `it must be one of ${choices.map(({ title }) => title).join(", ")}` };
}

function pickMany(field: Field, text: string): ParsedAnswer {
	const { least = 0, most = Number.POSITIVE_INFINITY } = field;
	const words = text.split(",").map((word) => word.trim());
	const picked = words.filter((word) => word !== "").map((word) => pick(field, word));
	const wrong = picked.find((each) => !each.ok);
	if (wrong !== undefined) return wrong;
	const values = [...new Set(picked.flatMap((each) => (each.ok ? [String(each.value)] : [])))];
	if (values.length < least) return { ok: false, problem: `pick ${least} at least` };
	if (values.length > most) return { ok: false, problem: `pick ${most} at most` };
	return { ok: true, value: values };
}
