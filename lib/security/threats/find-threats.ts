/** Looks for attacks in text that a model will read again and again. */

import { invisibleCharacters, type ThreatScope, tagCharacters, threatPatterns } from "./patterns.ts";

/** One finding. */
export interface Threat {
	/** Of the pattern; `invisible_characters` for those. */
	readonly id: string;
	/** What was found, in words for a person: `it asks to hide something from the user`. */
	readonly what: string;
}

const strictness: Readonly<Record<ThreatScope, number>> = { all: 0, context: 1, strict: 2 };

/**
 * Every kind of attack in `text` that `scope` looks for; empty when there is none. A wider scope finds everything that a narrower
 * one does. Lines that were broken to hide a phrase are read joined too.
 */
export function findThreats(text: string, scope: ThreatScope): Threat[] {
	const readings = readingsOf(text);
	const found: Threat[] = threatPatterns
		.filter(({ from, expression }) => {
			return strictness[from] <= strictness[scope] && readings.some((reading) => expression.test(reading));
		})
		.map(({ id, what }) => ({ id, what }));
	if (hasInvisible(text)) found.push({ id: "invisible_characters", what: "it holds characters that nobody can see" });
	return found;
}

/** As written; and as it would read with continued lines joined and every gap one space, full-width letters made plain. */
function readingsOf(text: string): readonly string[] {
	const visible = withoutInvisible(text).normalize("NFKC");
	const joined = visible.replace(/\\\r?\n/g, "").replace(/\s+/g, " ");
	return [...new Set([text, visible, joined])];
}

/** Characters that nobody can see are all beyond ASCII, and most texts have nothing that is. */
const beyondAscii = /[\u0080-\u{10ffff}]/u;

function hasInvisible(text: string): boolean {
	if (!beyondAscii.test(text)) return false;
	const characters = [...text];
	return characters.some((character, index) => isHidden(character, characters[index - 1], characters[index + 1]));
}

function withoutInvisible(text: string): string {
	if (!beyondAscii.test(text)) return text;
	return [...text].filter((character) => !isInvisible(character.codePointAt(0) ?? 0)).join("");
}

const joiner = "\u200d";
const joinsEmoji = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
/** Scripts whose ordinary spelling needs joiners and non-joiners. */
const joinsLetters =
	/^[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}]/u;

/** A joiner inside an emoji or a word of a script that needs it, and the mark at the start of a file, hide nothing. */
function isHidden(character: string, before: string | undefined, after: string | undefined): boolean {
	if (!isInvisible(character.codePointAt(0) ?? 0)) return false;
	if (before === undefined && character === "\ufeff") return false;
	if (before === undefined || after === undefined) return true;
	if (character === joiner && joinsEmoji.test(before) && /^\p{Extended_Pictographic}$/u.test(after)) return false;
	return !((character === joiner || character === "\u200c") && joinsLetters.test(before) && joinsLetters.test(after));
}

function isInvisible(codePoint: number): boolean {
	return invisibleCharacters.has(codePoint) || (codePoint >= tagCharacters.first && codePoint <= tagCharacters.last);
}
