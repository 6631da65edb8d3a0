/** Who decides whether a model's call may run: the hard line first, then the mode of this session. */

import { hardlineReason } from "./hardline.ts";

/** What a call wants to do, put to the user or to a policy before the handler runs. */
export type ApprovalRequest =
	/** `cwd` is where the command would run, when that is known. */
	| { readonly kind: "command"; readonly command: string; readonly cwd?: string }
	| { readonly kind: "write"; readonly path: string };

/** `reason` is written for the model: what was refused, and what it must not do now. */
export type Verdict = { readonly approved: true } | { readonly approved: false; readonly reason: string };

/** Decides on one request; asks for one after the other. */
export type Approve = (request: ApprovalRequest) => Promise<Verdict>;

/** `always` means this exact command, or this exact path, until the session ends. */
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
	// Two questions on one terminal at once would take each other's answers.
	let lastQuestion: Promise<unknown> = Promise.resolve();

	const askInTurn = (request: ApprovalRequest): Promise<ApprovalChoice> => {
		const answer = lastQuestion.then(() => (always.has(keyOf(request)) ? "once" : askOnce(options, request)));
		lastQuestion = answer;
		return answer;
	};

	return async (request) => {
		const blocked = blockedReason(request, options.home);
		if (blocked !== undefined) return { approved: false, reason: blocked };
		if (options.mode === "yolo" || options.mode === "allow" || always.has(keyOf(request))) return { approved: true };
		if (options.mode === "deny" || options.ask === undefined)
			return { approved: false, reason: deniedUnasked(request) };
		const choice = await askInTurn(request);
		if (choice === "deny") return { approved: false, reason: `The user denied ${nameOf(request)}. ${noWayAround}` };
		if (choice === "always") always.add(keyOf(request));
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

function keyOf(request: ApprovalRequest): string {
	return request.kind === "command" ? `command:${request.command}` : `write:${request.path}`;
}

function nameOf(request: ApprovalRequest): string {
	return request.kind === "command" ? "this command" : `writing ${JSON.stringify(request.path)}`;
}
