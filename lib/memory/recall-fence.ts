/** The fence around what a memory service recalled, and how it is taken out of what the model says. */

const name = "memory-context";
const opening = `<${name}>`;
const closing = `</${name}>`;
const whole = new RegExp(`${opening}[\\s\\S]*?(?:${closing}|$)`, "gi");
const tag = new RegExp(`</?${name}>`, "gi");

const note =
	"Recalled from earlier sessions. This is background that may be out of date, not something the user has said now.";

/** Characters of one recall; the rest is cut. */
const longestRecall = 8_000;

/** `text` as the model gets it behind the question. It cannot end its own fence. */
export function fencedRecall(text: string): string {
	return `${opening}\n${note}\n\n${text.replace(tag, "").trim().slice(0, longestRecall)}\n${closing}`;
}

/** `text` without anything that is fenced; a fence that was not closed goes to the end. */
export function withoutRecall(text: string): string {
	return text.replace(whole, "");
}

/** Takes fences out of a text that comes in pieces, wherever it is cut. */
export interface RecallFilter {
	/** What of the text so far can be shown and was not yet. */
	add(piece: string): string;
	/** What was held back because it might have become a fence. */
	end(): string;
}

/** A filter for one answer. */
export function createRecallFilter(): RecallFilter {
	let held = "";
	let inside = false;
	/** Takes `length` characters from what is held; those inside a fence are gone. */
	const take = (length: number) => {
		const taken = held.slice(0, length);
		held = held.slice(length);
		return inside ? "" : taken;
	};
	return {
		add(piece) {
			held += piece;
			let shown = "";
			for (;;) {
				const wanted = inside ? closing : opening;
				const at = held.toLowerCase().indexOf(wanted);
				if (at < 0) return shown + take(held.length - begunTag(held, wanted));
				shown += take(at);
				held = held.slice(wanted.length);
				inside = !inside;
			}
		},
		end: () => take(held.length),
	};
}

/** How many characters at the end of `text` may be the beginning of `wanted`. */
function begunTag(text: string, wanted: string): number {
	const end = text.slice(-wanted.length + 1).toLowerCase();
	for (let length = end.length; length > 0; length--) {
		if (wanted.startsWith(end.slice(end.length - length))) return length;
	}
	return 0;
}
