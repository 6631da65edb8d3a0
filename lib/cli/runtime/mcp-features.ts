/** What MCP servers may ask of the user and of the user's model in this run. */

import type { ClientFeature, ServerIdentity } from "../../mcp/client-parts.ts";
import { createElicitation } from "../../mcp/elicitation/elicitation.ts";
import { createSampling, type SamplingConsent, type SamplingModel } from "../../mcp/sampling/sampling.ts";
import type { AskUser } from "../../registry/agent-state.ts";
import type { ApprovalMode } from "../../security/approval/surface.ts";
import { askChoice } from "./ask-choice.ts";
import type { TerminalLines } from "./terminal-lines.ts";

/** Who can be asked. */
export interface ServerPeople {
	/** Missing where nobody is there. */
	readonly terminal?: TerminalLines | undefined;
	/** Whether the user agrees to everything beforehand, or to nothing. */
	readonly approval: ApprovalMode;
	/** The model that answers for servers. @throws {Error} When it cannot be opened. */
	model(): Promise<SamplingModel>;
}

/** Of a question, so that it fits on a screen; the rest is only counted. */
const mostShown = 1_500;

/** What each server of a run with `people` is offered; asking for it throws when the settings of the server are wrong. */
export function featuresWith(people: ServerPeople): (server: ServerIdentity) => readonly ClientFeature[] {
	const consent = samplingConsent(people);
	const ask = askingAt(people);
	return ({ name, settings, log }) => {
		const sampling = createSampling({ server: name, written: settings.sampling, model: people.model, consent, log });
		// A server that knows that nobody is there does not ask.
		const elicitation = ask && createElicitation({ server: name, written: settings.elicitation, ask: () => ask, log });
		return [sampling, elicitation].filter((feature) => feature !== undefined);
	};
}

/** The limits of questions are their servers' own. */
function askingAt({ terminal }: ServerPeople): AskUser | undefined {
	if (terminal === undefined) return undefined;
	return (choice) => terminal.choose?.(choice, 0) ?? askChoice(choice, terminal, 0);
}

/** Asks before a server spends the user's money; one for a run, which remembers the servers that may. */
function samplingConsent(people: ServerPeople): SamplingConsent {
	const agreed = new Set<string>();
	const ask = askingAt(people);
	return async ({ server, model, maxTokens, text }, signal) => {
		if (people.approval === "yolo" || agreed.has(server)) return true;
		if (ask === undefined || people.approval === "deny") return false;
		const cut =
			text.length > mostShown ? `${text.slice(0, mostShown)}\n… and ${text.length - mostShown} characters` : text;
		const answer = await ask({
			question: `MCP server "${server}" wants an answer of ${model}, of up to ${maxTokens} tokens, which you pay for:\n${cut}`,
			choices: ["yes", "yes, for the rest of this run", "no"],
			signal,
		});
		if (answer === "yes, for the rest of this run") agreed.add(server);
		return answer?.startsWith("yes") === true;
	};
}
