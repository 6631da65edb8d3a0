/** Keeps results within what a model can take: each one, and all of one step together. The rest is saved to files. */

import { type Logger, silentLogger } from "../../log/logger.ts";
import { cutEnd } from "../cut-text.ts";
import { type Saved, type Tool, type ToolAnswer, type ToolContext, toolResult } from "../tool.ts";
import { cutTexts, fitAnswer } from "./fit-answer.ts";
import { pageText } from "./page-text.ts";
import { removeResults, saveResult } from "./save-result.ts";

/** Characters of one answer when its tool names no limit. */
export const defaultResultLimit = 100_000;
/** Characters of all answers to one message of the model. */
const defaultStepLimit = 200_000;
/** Characters of a saved result that the model still sees at once. */
const previewLength = 1_500;

/** An answer as the model gets it. */
export interface Fitted {
	readonly answer: ToolAnswer;
	/** Where the whole is. Known here only: what a tool writes into its answer cannot make it count as saved. */
	readonly savedAt?: string;
}

/** One answer that may be too long. */
export interface Unfitted {
	readonly answer: ToolAnswer;
	readonly tool: Tool | undefined;
	readonly context: ToolContext;
	/** Calls of the same step share its budget; an answer without one has only its own limit. */
	readonly step?: string | number;
}

/** The budget of one session. */
export interface ResultBudget {
	fit(unfitted: Unfitted): Promise<Fitted>;
	/** Saves a text that a tool has cut itself. */
	saveText(context: Pick<ToolContext, "execute">, name: string, text: string): Promise<Saved>;
	/** Removes what was saved, through a context that still works. */
	removeSaved(context: Pick<ToolContext, "execute">): Promise<void>;
}

/** How much results may take; what is left out has its default. */
export interface BudgetOptions {
	readonly stepLimit?: number;
	/** Characters by tool name, from the configuration; they beat the tool's own. */
	readonly limits?: Readonly<Record<string, number>>;
	readonly log?: Pick<Logger, "warning">;
}

/** A budget of which nothing is used. */
export function createResultBudget(options: BudgetOptions = {}): ResultBudget {
	const { stepLimit = defaultStepLimit, limits = {}, log = silentLogger } = options;
	const saved: string[] = [];
	let step: { readonly name: string | number; used: number } | undefined;

	/** Takes room for an answer before it is fitted, so that calls side by side do not take the same. */
	const reserve = ({ answer, tool, step: name }: Unfitted) => {
		const own = limits[tool?.name ?? ""] ?? tool?.resultLimit ?? defaultResultLimit;
		if (name === undefined) return { room: own, settle: () => {} };
		if (step?.name !== name) step = { name, used: 0 };
		const current = step;
		const room = Math.min(own, Math.max(stepLimit - current.used, 2 * previewLength));
		const taken = Math.min(answer.length, room);
		current.used += taken;
		const settle = (length: number) => {
			current.used += length - taken;
		};
		return { room, settle };
	};

	const save = async ({ answer, context }: Unfitted): Promise<Fitted | undefined> => {
		const text = pageText(answer);
		const outcome = await saveResult(context, context.callId ?? crypto.randomUUID(), text);
		if (!outcome.ok) {
			log.warning(`a result of ${answer.length} characters was cut, not saved: ${outcome.reason}`);
			return undefined;
		}
		saved.push(outcome.path);
		return { answer: preview(answer, { path: outcome.path, characters: text.length }), savedAt: outcome.path };
	};

	return {
		async fit(unfitted) {
			const { room, settle } = reserve(unfitted);
			const { answer, tool } = unfitted;
			if (answer.length <= room) return { answer };
			// A page can be read again; saving it would only lead from file to file.
			const kept = tool?.isPaged === true ? undefined : await save(unfitted);
			const fitted = kept ?? { answer: fitAnswer(answer, room) };
			settle(fitted.answer.length);
			return fitted;
		},
		async saveText(context, name, text) {
			const outcome = await saveResult(context, name, text);
			if (outcome.ok) saved.push(outcome.path);
			return outcome;
		},
		removeSaved: (context) => removeResults(context, saved.splice(0)),
	};
}

/** The same object with short texts, and where the whole is. */
function preview(answer: ToolAnswer, { path, characters }: { path: string; characters: number }): ToolAnswer {
	const whole = {
		path,
		size: `${characters} characters (${sizeOf(characters)})`,
		how_to_read: "read_file with offset and limit, or search_files on this path",
	};
	const cut = cutTexts(answer, previewLength);
	return toolResult({ ...(cut ?? { preview: cutEnd(answer, previewLength) }), full_result: whole });
}

function sizeOf(characters: number): string {
	const kilobytes = characters / 1024;
	return kilobytes >= 1024 ? `${(kilobytes / 1024).toFixed(1)} MB` : `${kilobytes.toFixed(1)} KB`;
}
