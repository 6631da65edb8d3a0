/** Who decides whether a model's call may run: the hard line first, then the mode of this session. */

import { attemptAsync } from "../base/attempt.ts";
import { consentKeys } from "./approval/consent-keys.ts";
import { type ApprovalPlace, judgeRequest } from "./approval/judge-request.ts";
import type { ApprovalAnswer, ApprovalChoice, ApprovalQuestion, ApprovalRequest } from "./approval/request.ts";
import type { SavedApprovals } from "./approval/saved-approvals.ts";
import { isForModels, type JudgeCommand, judgeSmartly } from "./approval/smart.ts";
import type { ApprovalMode } from "./approval/surface.ts";
import { blockedText, deniedText, judgedText, unansweredText, unaskedText } from "./approval/texts.ts";
import type { Category, Danger } from "./commands/categories.ts";

/**
 * `reason` is written for the model: what was refused, and what it must not do now. `by` says whose consent it is, where that
 * is not plain from the mode.
 */
export type Verdict =
	| { readonly approved: true; readonly by?: string }
	| { readonly approved: false; readonly reason: string };

/** Decides on one request; asks for one after the other. */
export type Approve = (request: ApprovalRequest) => Promise<Verdict>;

/** Who decides, and what is known of the place. Nothing of it but `mode` changes while the approver lives. */
export interface ApproverOptions extends ApprovalPlace {
	/**
	 * `yolo`: the user gave a blanket yes. `ask`: the user is asked about dangers. `deny`: dangers are refused, since nobody can
	 * be asked. `allow`: the place is disposable. The hard line holds in all of them.
	 */
	readonly mode: ApprovalMode;
	/**
	 * Asked for one request at a time. What it throws, an answer to another question, and any answer that is not offered, is
	 * a no.
	 */
	ask?(request: ApprovalRequest, question: ApprovalQuestion): Promise<ApprovalAnswer>;
	/** Seconds a question waits; without it as long as `ask` does. */
	readonly timeoutSeconds?: number;
	/** Smart mode: decides what needs no person. Nothing that it says is remembered. */
	readonly judge?: JudgeCommand;
	/** Where `always` is kept; without it `always` is for the session. */
	readonly saved?: SavedApprovals;
	/** Where nobody can be asked: what the one who started hermes can do about it; `--yolo` when left out. */
	advise?(dangers: readonly Danger[]): string;
	/** Told when a consent cannot be saved. */
	onWarning?(text: string): void;
	/** Kinds of danger that need no consent. */
	readonly trusted?: ReadonlySet<Category>;
}

/** Where nothing is said about it. */
const unnamedPlace = "local";
const noConsentNeeded: Verdict = { approved: true, by: "needs no consent" };

/** One approver per session: it remembers what was answered with `session`, and shares that with no other. */
export function createApprover(options: ApproverOptions): Approve {
	const agreed = new Set<string>();
	// Two questions on one terminal at once would take each other's answers.
	let lastQuestion: Promise<unknown> = Promise.resolve();

	/** Every danger needs its own consent: one that was agreed to lets no other pass. */
	const openDangers = (request: ApprovalRequest, dangers: readonly Danger[]): readonly Danger[] => {
		const isAgreed = (key: string) => agreed.has(key) || options.saved?.has(key) === true;
		return dangers.filter((danger) => {
			if (options.trusted?.has(danger.category) === true) return false;
			return !keysOf(request, [danger], options).every(({ key }) => isAgreed(key));
		});
	};

	const askInTurn = (request: ApprovalRequest, dangers: readonly Danger[]): Promise<ApprovalChoice | "timeout"> => {
		const answer = lastQuestion.then(async () => {
			const open = openDangers(request, dangers);
			if (open.length === 0) return "once";
			const choice = await askOnce(options, request, open);
			await remember(choice, request, open);
			return choice;
		});
		lastQuestion = answer;
		return answer;
	};

	const remember = async (choice: ApprovalChoice | "timeout", request: ApprovalRequest, dangers: readonly Danger[]) => {
		if (choice !== "session" && choice !== "always") return;
		const keys = keysOf(request, dangers, options);
		for (const { key } of keys) agreed.add(key);
		if (choice === "session" || !choicesFor(request, options).includes("always")) return;
		const origin = { place: options.name ?? unnamedPlace, cwd: cwdOf(request) };
		const saving = await attemptAsync(() => options.saved?.add(keys, origin));
		if (!saving.ok) options.onWarning?.(`The consent counts for this session only: ${saving.reason}`);
	};

	const decide = async (request: ApprovalRequest, dangers: readonly Danger[]): Promise<Verdict> => {
		const open = openDangers(request, dangers);
		if (open.length === 0) return { approved: true, by: "the user agreed before" };
		const judged = await judgedBy(options, request, open);
		if (judged !== undefined) return judged;
		if (options.mode === "deny" || options.ask === undefined) {
			return refused(unaskedText(request, open, options.advise?.(open)));
		}
		const choice = await askInTurn(request, dangers);
		if (choice === "timeout") return refused(unansweredText(request));
		return choice === "deny" ? refused(deniedText(request)) : { approved: true };
	};

	return async (request) => {
		const { hardline, dangers } = judgeRequest(request, options);
		if (hardline !== undefined) return refused(blockedText(hardline));
		if (options.mode === "yolo" || options.mode === "allow") return { approved: true };
		return dangers.length === 0 ? noConsentNeeded : await decide(request, dangers);
	};
}

function refused(reason: string): Verdict {
	return { approved: false, reason };
}

/** What a model makes of it; undefined when a person has to decide. */
async function judgedBy(
	{ judge }: ApproverOptions,
	request: ApprovalRequest,
	dangers: readonly Danger[],
): Promise<Verdict | undefined> {
	if (judge === undefined || request.kind !== "command" || !isForModels(dangers)) return undefined;
	const question = { command: request.command, cwd: request.cwd, dangers };
	const said = await judgeSmartly(judge, question, AbortSignal.timeout(longestJudgementMs));
	if (said.verdict === "approve") return { approved: true, by: "a model found no harm in it" };
	return said.verdict === "deny" ? { approved: false, reason: judgedText(request, said.reason) } : undefined;
}

/** Who waits longer than this would rather be asked. */
const longestJudgementMs = 30_000;

async function askOnce(
	options: ApproverOptions,
	request: ApprovalRequest,
	dangers: readonly Danger[],
): Promise<ApprovalChoice | "timeout"> {
	const limit = options.timeoutSeconds === undefined ? undefined : AbortSignal.timeout(options.timeoutSeconds * 1000);
	const signal = limit ?? new AbortController().signal;
	const question = { id: crypto.randomUUID(), dangers, choices: choicesFor(request, options), signal };
	const silence = new Promise<"timeout">((resolve) => {
		signal.addEventListener("abort", () => resolve("timeout"), { once: true });
	});
	try {
		const answer = await Promise.race([options.ask?.(request, question), silence]);
		if (answer === "timeout" || signal.aborted) return "timeout";
		return choiceOf(answer, question);
	} catch {
		// End of input, a closed terminal, an interrupt: silence is never a yes.
		return signal.aborted ? "timeout" : "deny";
	}
}

function choiceOf(answer: unknown, { id, choices }: ApprovalQuestion): ApprovalChoice {
	const isBound = typeof answer === "object" && answer !== null && "id" in answer && "choice" in answer;
	if (isBound && answer.id !== id) return "deny";
	const said = isBound ? answer.choice : answer;
	// Where nothing can be saved, `always` is for the session.
	if (said === "always" && !choices.includes("always")) return "session";
	return choices.find((choice) => choice === said) ?? "deny";
}

/** A script is different each time: nothing of it can be agreed to for good. */
function choicesFor({ kind }: ApprovalRequest, { saved }: ApproverOptions): readonly ApprovalChoice[] {
	return saved === undefined || kind === "script" || kind === "note"
		? ["once", "session"]
		: ["once", "session", "always"];
}

function keysOf(request: ApprovalRequest, dangers: readonly Danger[], { name = unnamedPlace }: ApproverOptions) {
	return consentKeys(request, dangers, name);
}

function cwdOf(request: ApprovalRequest): string | undefined {
	return request.kind === "command" ? request.cwd : undefined;
}
