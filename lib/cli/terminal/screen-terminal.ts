/** Asks the user on the screen of a chat: about calls, for the model, and for passwords. */

import type {
	ApprovalAnswer,
	ApprovalChoice,
	ApprovalQuestion,
	ApprovalRequest,
} from "../../security/approval/request.ts";
import { consentQuestion } from "../runtime/ask-approval.ts";
import { visible } from "../runtime/paint.ts";
import type { TerminalLines } from "../runtime/terminal-lines.ts";
import { askKey, type KeyChoice, type Typing } from "./key-question.ts";
import { askLine } from "./line-question.ts";
import type { Screen } from "./screen.ts";

/** The keyboard of a chat that draws. Nothing is listened to here: the editor takes what is typed between questions. */
export function screenTerminal(screen: Screen, typing: Typing): TerminalLines {
	const ask = (prompt: string, { signal, isSecret }: { readonly signal: AbortSignal; readonly isSecret: boolean }) =>
		askLine(screen, { title: visible(prompt.trim()).split("\n"), choices: [], isSecret, signal, typing });
	return {
		ask: (prompt, { signal }) => ask(prompt, { signal, isSecret: false }),
		askSecret: (prompt, signal) => ask(prompt, { signal, isSecret: true }),
		listen: () => ({ [Symbol.dispose]() {} }),
		async approve({ request, question }, signal) {
			// All of it stays readable, however long it is: the question below is only about it.
			screen.addLines(consentQuestion(request, question).split("\n"), { isApart: true, indent: "    " });
			const choice = await askKey(screen, {
				title: "Allow this?",
				choices: approvalChoices(request, question),
				signal: AbortSignal.any([signal, question.signal]),
				typing,
			});
			const answer: ApprovalAnswer = { id: question.id, choice: choice ?? "deny" };
			screen.addLines([screen.theme.dim(`  ${answerText[answer.choice]}`)]);
			return answer;
		},
		async choose({ question, choices, signal }, limitSeconds) {
			const limit = limitSeconds === 0 ? [] : [AbortSignal.timeout(limitSeconds * 1000)];
			const answer = await askLine(screen, {
				title: visible(question).split("\n"),
				choices: choices.map(visible),
				isSecret: false,
				signal: AbortSignal.any([signal, ...limit]),
				typing,
			});
			const at = answer === undefined ? -1 : choices.map(visible).indexOf(answer);
			const said = at < 0 ? answer?.trim() : choices[at];
			screen.addLines(
				[`${screen.theme.warning("?")} ${visible(question)}`, screen.theme.dim(`  ${visible(said || "no answer")}`)],
				{
					isApart: true,
					indent: "  ",
				},
			);
			return said === "" ? undefined : said;
		},
		[Symbol.dispose]() {},
	};
}

const answerText: Readonly<Record<ApprovalChoice, string>> = {
	once: "allowed once",
	session: "allowed for this session",
	always: "allowed from now on",
	deny: "not allowed",
};

/** `y` to a script counts for the session, since scripts are asked about as a kind. */
function approvalChoices(
	{ kind }: ApprovalRequest,
	{ choices }: ApprovalQuestion,
): readonly KeyChoice<ApprovalChoice>[] {
	const no = { key: "n", label: "[N]o", value: "deny" } as const;
	if (kind === "script")
		return [
			{ key: "y", label: "[y]es, and later scripts of this session", value: "session" },
			{ key: "o", label: "[o]nly this one", value: "once" },
			no,
		];
	return [
		{ key: "y", label: "[y]es", value: "once" },
		no,
		{ key: "s", label: "[s]ession", value: "session" },
		...(choices.includes("always") ? [{ key: "a", label: "[a]lways", value: "always" } as const] : []),
	];
}
