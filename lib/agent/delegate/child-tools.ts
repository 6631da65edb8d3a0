/** Which tools a child gets: by name, after every toolset is resolved, and never one that its parent does not have. */

import { attempt } from "../../base/attempt.ts";
import type { ChildRole } from "../../registry/delegation.ts";
import type { Registry } from "../../registry/registry.ts";
import { resolveSelection } from "../../registry/toolsets.ts";

/** The tool that hands out tasks: the only one that an orchestrator gets back. */
const delegateTool = "delegate_task";

/**
 * No child gets these, however they are asked for: it must not hand its work on, ask the user, write notes that all sessions
 * read, speak to others, hide its steps in a script, or plan work for later in its parent's name.
 */
export const blockedTools: ReadonlySet<string> = new Set([
	delegateTool,
	...["clarify", "memory", "send_message", "execute_code", "cronjob"],
]);

/** What is asked for, and by whom. */
export interface ChildToolsRequest {
	/** Names that the parent itself may call. */
	readonly parent: ReadonlySet<string>;
	/** Toolsets, aliases or tools; everything that the parent has when left out. */
	readonly toolsets: readonly string[] | undefined;
	/** As it was granted. */
	readonly role: ChildRole;
	/** Tools of servers come along when they are not named. */
	readonly inheritsServers: boolean;
}

/** Names of tools, and what was asked for in vain, each with the reason. */
export interface ChildTools {
	readonly names: ReadonlySet<string>;
	readonly denied: readonly string[];
}

/** An orchestrator has `delegate_task` besides; one that would have nothing else has nothing. */
export function childTools(registry: Registry, request: ChildToolsRequest): ChildTools {
	const { parent, toolsets, role, inheritsServers } = request;
	const mayHave = new Set([...parent].filter((name) => !blockedTools.has(name)));
	const isOfServer = (name: string) => registry.get(name)?.source?.kind === "mcp";
	const denied: string[] = [];
	const asked = toolsets?.flatMap((toolset) => {
		const named = namedBy(registry, toolset);
		const granted = named.ok ? [...named.value].filter((name) => mayHave.has(name)) : [];
		if (granted.length === 0) denied.push(`${toolset}: ${refusal(named, parent)}`);
		return granted;
	});
	const servers = [...mayHave].filter(isOfServer);
	const own = inheritsServers ? mayHave : [...mayHave].filter((name) => !isOfServer(name));
	const names = new Set(asked === undefined ? own : [...asked, ...(inheritsServers ? servers : [])]);
	// A request that came to nothing is not answered with tools of servers alone.
	if (asked !== undefined && asked.length === 0) names.clear();
	if (names.size > 0 && role === "orchestrator" && parent.has(delegateTool)) names.add(delegateTool);
	return { names, denied };
}

function namedBy(registry: Registry, toolset: string) {
	return attempt(() => resolveSelection(registry, { enabled: [toolset] }).names);
}

function refusal(
	named: { readonly ok: true; readonly value: ReadonlySet<string> } | { readonly ok: false; readonly reason: string },
	parent: ReadonlySet<string>,
): string {
	if (!named.ok) return named.reason;
	const isBlocked = [...named.value].some((name) => parent.has(name));
	return isBlocked ? "a sub-agent never gets these tools" : "you do not have these tools yourself";
}
