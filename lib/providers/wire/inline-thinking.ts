/** Tells what a model thinks from what it answers, where it writes both into one text: `<think>…</think>`. */

/** A piece of what came. */
export interface ThinkingPiece {
	readonly type: "text" | "reasoning";
	readonly text: string;
}

/** Takes a text as it arrives, cut anywhere. */
export interface ThinkingSplitter {
	/** What is certain by now. What may yet become a tag is kept until more comes. */
	push(text: string): readonly ThinkingPiece[];
	/** What was still kept. A thought that was never closed stays one. */
	end(): readonly ThinkingPiece[];
}

const names = ["think", "thinking", "thought", "reasoning", "reasoning_scratchpad"];
const openers = names.map((name) => `<${name}>`);
const closers = names.map((name) => `</${name}>`);
const fence = "```";
/** More characters than any tag has. */
const longest = 32;

/**
 * A tag opens a thought only where a line begins and no code block is open: answers speak of these tags too. A closing tag
 * there that closes nothing is left out, as templates that open the thought in the prompt leave one.
 */
export function createThinkingSplitter(): ThinkingSplitter {
	const state = {
		waiting: "",
		closer: "",
		startsLine: true,
		inFence: false,
		hasText: false,
		hasThought: false,
		follows: false,
	};
	const step = (isLast: boolean) => (state.closer === "" ? takeAnswer(state, isLast) : takeThought(state, isLast));
	const run = (isLast: boolean): readonly ThinkingPiece[] => {
		const pieces: ThinkingPiece[] = [];
		while (state.waiting !== "") {
			const piece = step(isLast);
			if (piece === undefined) break;
			if (piece.text !== "") pieces.push(piece);
		}
		return joined(pieces);
	};
	return {
		push(text) {
			state.waiting += text;
			return run(false);
		},
		end: () => run(true),
	};
}

interface Splitting {
	/** What came and is not told yet. */
	waiting: string;
	/** The tag that ends the thought; empty outside of one. */
	closer: string;
	startsLine: boolean;
	inFence: boolean;
	/** Something was answered, or thought in this thought: blanks before it are left out. */
	hasText: boolean;
	hasThought: boolean;
	/** A thought has just ended: empty lines after it are left out. */
	follows: boolean;
}

/** Undefined when more has to come first. */
function takeThought(state: Splitting, isLast: boolean): ThinkingPiece | undefined {
	const { waiting, closer } = state;
	const at = waiting.search(new RegExp(closer, "i"));
	if (at >= 0) {
		const text = thought(state, waiting.slice(0, at).trimEnd());
		state.waiting = waiting.slice(at + closer.length);
		state.closer = "";
		state.startsLine = true;
		state.follows = true;
		return text;
	}
	const kept = isLast ? 0 : keptTail(waiting, closer);
	if (kept === waiting.length) return undefined;
	state.waiting = waiting.slice(waiting.length - kept);
	return thought(state, waiting.slice(0, waiting.length - kept));
}

function thought(state: Splitting, text: string): ThinkingPiece {
	const told = state.hasThought ? text : text.trimStart();
	if (told !== "") state.hasThought = true;
	return { type: "reasoning", text: told };
}

/** Characters at the end that may be the beginning of the closing tag, with the blanks before it. */
function keptTail(text: string, closer: string): number {
	for (let length = Math.min(closer.length - 1, text.length); length > 0; length--) {
		if (closer.startsWith(text.slice(-length).toLowerCase()))
			return text.length - text.slice(0, -length).trimEnd().length;
	}
	return text.length - text.trimEnd().length;
}

/** One line or a part of it; undefined when more has to come first. */
function takeAnswer(state: Splitting, isLast: boolean): ThinkingPiece | undefined {
	const { waiting } = state;
	if (!state.startsLine) return takeRest(state, "");
	const blank = /^\s*/.exec(waiting)?.[0] ?? "";
	const line = waiting.slice(blank.length, blank.length + longest).toLowerCase();
	const tag = state.inFence ? undefined : [...openers, ...closers].find((each) => line.startsWith(each));
	if (tag !== undefined) return takeTag(state, { tag, blank });
	const isOpen = [...openers, ...closers, fence].some((each) => each.startsWith(line));
	if (isOpen && !isLast) return undefined;
	if (line.startsWith(fence)) state.inFence = !state.inFence;
	return takeRest(state, blank);
}

/** Blanks before a thought are a part of neither; the line break that the answer had stays. */
function takeTag(state: Splitting, { tag, blank }: { readonly tag: string; readonly blank: string }): ThinkingPiece {
	state.waiting = state.waiting.slice(blank.length + tag.length);
	if (openers.includes(tag)) {
		state.closer = tag.replace("<", "</");
		state.hasThought = false;
	}
	return { type: "text", text: state.hasText ? blank : "" };
}

/** `blank` is what the line begins with, and empty lines before it. */
function takeRest(state: Splitting, blank: string): ThinkingPiece {
	const { waiting, follows, hasText } = state;
	const end = waiting.indexOf("\n", blank.length);
	const taken = end < 0 ? waiting : waiting.slice(0, end + 1);
	state.waiting = waiting.slice(taken.length);
	state.startsLine = end >= 0;
	state.follows = follows && taken.trim() === "";
	const text = follows ? taken.replace(hasText ? /^\s*\n/ : /^\s+/, "") : taken;
	if (text !== "") state.hasText = true;
	return { type: "text", text };
}

function joined(pieces: readonly ThinkingPiece[]): readonly ThinkingPiece[] {
	const together: ThinkingPiece[] = [];
	for (const piece of pieces) {
		const last = together.at(-1);
		if (last?.type === piece.type) together[together.length - 1] = { ...last, text: last.text + piece.text };
		else together.push(piece);
	}
	return together;
}
