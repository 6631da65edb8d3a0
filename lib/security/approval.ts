/** Who decides whether a model's call may run: the hard line first, then the mode of this session. */

import { hardlineReason } from "./hardline.ts";

/** What a call wants to do, put to the user or to a policy before the handler runs. */
export type ApprovalRequest =
	/** `cwd` is where the command would run, when that is known. */
	| { readonly kind: "command"; readonly command: string; readonly cwd?: string }
	/** `others`: further files that are written with it, all or none. */
	| { readonly kind: "write"; readonly path: string; readonly others?: readonly string[] }
	/** A program that can do whatever the user can; `always` means every script of the session. */
	| { readonly kind: "script"; readonly language: string; readonly code: string }
	/** A change of the notes that last over sessions; `text` is all of it. */
	| { readonly kind: "note"; readonly target: string; readonly text: string };

/** `reason` is written for the model: what was refused, and what it must not do now. */
export type Verdict = { readonly approved: true } | { readonly approved: false; readonly reason: string };

/** Decides on one request; asks for one after the other. */
export type Approve = (request: ApprovalRequest) => Promise<Verdict>;

/** `always` means this exact command, this exact path, or every script, until the session ends. */
export type ApprovalChoice = "once" | "always" | "deny";

/** Who decides, and what is known of the place. */
export interface ApproverOptions {
	/**
	 * `yolo`: the user gave a blanket yes. `ask`: the user is asked. `deny`: nobody can be asked. `allow`: the place is
	 * disposable. The hard line holds in all of them.
	 */
	readonly mode: "yolo" | "ask" | "deny" | "allow";
	/** Asked for one request at a time. What it throws, and any answer but `once` or `always`, is a no. */
	ask?(request: ApprovalRequest): Promise<ApprovalChoice>;
	/** The user's home where commands run; without it only `~` and `$HOME` are known to be a home. */
	readonly home?: string;
}

const noWayAround =
	"Do not retry it, do not rephrase it, and do not reach the same end by another command or tool. Go on without it, or ask the user what to do.";

/** One approver per session: it remembers what was answered with `always`. */
export function createApprover(options: ApproverOptions): Approve {
	const always = new Set<string>();
	const isKnown = (request: ApprovalRequest) => keysOf(request).every((key) => always.has(key));
	// Two questions on one terminal at once would take each other's answers.
	let lastQuestion: Promise<unknown> = Promise.resolve();

	const askInTurn = (request: ApprovalRequest): Promise<ApprovalChoice> => {
		const answer = lastQuestion.then(() => (isKnown(request) ? "once" : askOnce(options, request)));
		lastQuestion = answer;
		return answer;
	};

	return async (request) => {
		const blocked = blockedReason(request, options.home);
		if (blocked !== undefined) return { approved: false, reason: blocked };
		if (options.mode === "yolo" || options.mode === "allow" || isKnown(request)) return { approved: true };
		if (options.mode === "deny" || options.ask === undefined)
			return { approved: false, reason: deniedUnasked(request) };
		const choice = await askInTurn(request);
		if (choice === "deny") return { approved: false, reason: `The user denied ${nameOf(request)}. ${noWayAround}` };
		if (choice === "always") for (const key of keysOf(request)) always.add(key);
		return { approved: true };
	};
}

async function askOnce(options: ApproverOptions, request: ApprovalRequest): Promise<ApprovalChoice> {
	try {
		const choice: unknown = await options.ask?.(request);
		return choice === "once" || choice === "always" ? choice : "deny";
	} catch {
		// End of input, a closed terminal, an interrupt: silence is never a yes.
		return "deny";
	}
}

function blockedReason(request: ApprovalRequest, home: string | undefined): string | undefined {
	if (request.kind !== "command") return undefined;
	const reason = hardlineReason(request.command, {
		...(request.cwd !== undefined && { cwd: request.cwd }),
		...(home !== undefined && { home }),
	});
	return reason && `Blocked, whatever the user's settings are: ${reason}. ${noWayAround}`;
}

function deniedUnasked(request: ApprovalRequest): string {
	return `Denied ${nameOf(request)}: it needs approval and nobody can be asked here. ${noWayAround} The user can allow such calls by starting hermes with --yolo.`;
}

/** What has to be agreed to; files of one change are agreed to one by one, whatever they are changed with later. */
function keysOf(request: ApprovalRequest): string[] {
	if (request.kind !== "write") return [keyOf(request)];
	return filesOf(request).map((path) => keyOf({ kind: "write", path }));
}

/** All files that a request names. */
export function filesOf({ path, others = [] }: Extract<ApprovalRequest, { kind: "write" }>): readonly string[] {
	return [path, ...others];
}

function keyOf(request: ApprovalRequest): string {
	// The code of a script is not in it.
	return JSON.stringify(request, ["kind", "command", "path", "target", "text"]);
}

function nameOf(request: ApprovalRequest): string {
	if (request.kind === "script") return "this script";
	if (request.kind === "command") return "this command";
	if (request.kind === "note") return "this change of the notes";
	const names = filesOf(request).map((path) => JSON.stringify(path));
	return `writing ${names.join(", ")}`;
}
