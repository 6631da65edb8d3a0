/** What a model is told when a text could not be replaced, and what it may do next. */

import { type Region, showRegions } from "../base/fuzzy/closest-lines.ts";
import type { FuzzyFailure } from "../base/fuzzy/fuzzy-replace.ts";
import type { Encoding } from "./encoding.ts";

/** Line numbers of places that an error names. */
const mostLines = 20;
/** From this many failures at one file in a row on, trying further variants is no use. */
const manyFailures = 3;

type Failure = Exclude<FuzzyFailure, { readonly code: "already_applied" }>;

/** Why, in words for the model. */
export function failureText(failure: Failure): string {
	switch (failure.code) {
		case "empty_old":
			return "old_string is empty; give the text to replace";
		case "whitespace_old":
			return "old_string is only blanks; give the text to replace";
		case "identical":
			return "old_string and new_string are identical";
		case "escape_drift":
			return `Escape-drift detected: old_string and new_string have ${failure.sequence} where the file has a plain quote; read the place again and send the quotes as they are in the file`;
		case "ambiguous":
			return failure.closest === undefined
				? `old_string is there ${failure.lines.length} times, at lines ${listed(failure.lines)}; add lines around it to make it unique, or set replace_all`
				: `could not find old_string in it; several places resemble it, at lines ${listed(failure.lines)}, and none is surely the one that is meant${sections(failure.closest)}`;
		case "not_found":
			return `could not find old_string in it; read the file again and copy the text exactly, without the line numbers${failure.isCutShort ? " (similar lines were searched for in a part of the file only)" : ""}${sections(failure.closest)}`;
	}
}

/** What to do after `failures` patches of one file that found nothing; undefined when the error says enough. */
export function failureHint(failures: number, hasSections: boolean): string | undefined {
	if (failures >= manyFailures) {
		return `This is failure ${failures} in a row at this file. Stop trying variants of old_string: read the file again now, then use a longer piece of it, or write the whole file with write_file.`;
	}
	return hasSections
		? undefined
		: "Read the file with read_file, or find the place with search_files, before the next try.";
}

/** Why a new text cannot be written in the encoding of its file. */
export function unwritableText(encoding: Encoding): string {
	return encoding === "latin-1"
		? "it is not UTF-8 and every character of it is one byte, which some characters of the new text are not; convert it with iconv -t UTF-8 first, or write without them"
		: "the new text holds half of a surrogate pair";
}

function listed(lines: readonly number[]): string {
	return lines.slice(0, mostLines).join(", ") + (lines.length > mostLines ? ", …" : "");
}

function sections(closest: readonly Region[]): string {
	return closest.length === 0 ? "" : `\n\nDid you mean one of these sections?\n${showRegions(closest)}`;
}
