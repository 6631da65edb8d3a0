/** Tools without a model: one place, one shell session, and nobody to ask. */

import { settledWithin } from "../../base/settled-within.ts";
import type { Dispatched } from "../../registry/dispatch.ts";
import { createApprover } from "../../security/approval.ts";
import { createSessionId } from "../../store/session-id.ts";
import type { Cli } from "../subcommand.ts";
import { approvalMode } from "./approval-mode.ts";
import { approverParts } from "./approver-parts.ts";
import { consentOf, openRunAudit } from "./audited-calls.ts";
import { openPlace } from "./open-place.ts";
import { type Call, callTool, openToolbox } from "./open-tools.ts";
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
	/** Whether the tool of this name changes nothing anywhere; an unknown name does nothing at all. */
	isReadOnly(name: string): boolean;
	/** Never throws: failures are answers. */
	call(call: Call): Promise<Dispatched>;
}

/** The first look at what runs already: until then it is not known whether it has ended, nor what it said. */
const catchUpMs = 500;

/**
 * Opens backend, shell and tools.
 * @throws {UsageError | CommandFailed | BackendUnavailable} When the place cannot be opened.
 */
export async function openToolSession(cli: Cli, flags: ToolSessionFlags): Promise<OpenToolSession> {
	const taskId = "tools";
	const config = await openSettings(cli, flags);
	const mode = approvalMode(cli, config, { surface: "headless", yolo: flags.yolo });
	const isYolo = mode === "yolo";
	await using opened = new AsyncDisposableStack();
	const audit = opened.use(openRunAudit(cli, config));
	const toolbox = opened.use(await openToolbox(cli, config));
	const place = opened.use(await openPlace(cli, { config, cwd: flags.cwd }));
	const parts = await approverParts(cli, config, place);
	const session = {
		toolbox,
		shell: place.shell,
		processes: place.processes,
		approve: createApprover({ ...parts, mode }),
		sessionId: createSessionId(),
		taskId,
		audited: audit && { audit, surface: "tools", backend: place.backend, consent: consentOf(mode) },
	};
	opened.defer(() => toolbox.checkpoints?.settled());
	/** What earlier calls left running is looked after when it is asked about. */
	const adopt = async () => {
		const adopted = await place.processes.adopt(taskId, { tells: false, keeps: true });
		await settledWithin(Promise.all(adopted.map(({ ended }) => ended)), catchUpMs);
	};
	let adopting: Promise<void> | undefined;
	const kept = opened.move();
	return {
		isYolo,
		isReadOnly: (name) => (toolbox.registry.get(name) ?? { readOnly: true }).readOnly === true,
		async call(call) {
			if (call.name === "process") {
				adopting ??= adopt();
				await adopting;
			}
			return await callTool(session, call, { signal: cli.interruption.signal });
		},
		[Symbol.asyncDispose]: () => kept.disposeAsync(),
	};
}
