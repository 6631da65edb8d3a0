/** Tools without a model: one place, one shell session, and nobody to ask. */

import type { Dispatched } from "../../registry/dispatch.ts";
import { createApprover } from "../../security/approval.ts";
import { createSessionId } from "../../store/session-id.ts";
import type { Cli } from "../subcommand.ts";
import { openPlace } from "./open-place.ts";
import { type Call, callTool, openRegistry } from "./open-tools.ts";
import { openSettings } from "./settings.ts";

/** What the user said about it. */
export interface ToolSessionFlags {
	readonly backend?: string | undefined;
	readonly cwd?: string | undefined;
	readonly yolo: boolean;
}

/** An open session for tool calls. */
export interface OpenToolSession extends AsyncDisposable {
	/** Whether everything but the hard line may run. */
	readonly isYolo: boolean;
	/** Never throws: failures are answers. */
	call(call: Call): Promise<Dispatched>;
}

/**
 * Opens backend, shell and tools.
 * @throws {UsageError | CommandFailed | BackendUnavailable} When the place cannot be opened.
 */
export async function openToolSession(cli: Cli, flags: ToolSessionFlags): Promise<OpenToolSession> {
	const isYolo = flags.yolo || cli.environment.yolo;
	const registry = await openRegistry(cli);
	const taskId = "tools";
	const config = await openSettings(cli, flags);
	const place = await openPlace(cli, { config, cwd: flags.cwd });
	const session = {
		registry,
		shell: place.shell,
		approve: createApprover({
			mode: isYolo ? "yolo" : "deny",
			...(place.sharesHostFiles && { home: cli.environment.home }),
		}),
		sessionId: createSessionId(),
		taskId,
	};
	return {
		isYolo,
		call: (call) => callTool(session, call, { signal: cli.interruption.signal }),
		[Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
	};
}
