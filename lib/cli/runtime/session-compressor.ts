/** What shortens the conversation of a session, as the settings want it. */

import type { PriceOf } from "../../agent/ask/account.ts";
import type { Compress } from "../../agent/compress.ts";
import { createCompressor } from "../../agent/context/compressor.ts";
import type { AgentEvent } from "../../agent/events.ts";
import type { ModelRoute } from "../../agent/routes.ts";
import type { Spending } from "../../agent/spending.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { openCatalog } from "../../providers/models/catalog.ts";
import { openLocalWindows } from "../../providers/models/local-windows.ts";
import type { PlanStep } from "../../registry/agent-state.ts";
import { createRedactor } from "../../security/redact.ts";
import type { Store } from "../../store/store.ts";
import type { Cli } from "../subcommand.ts";
import { hasAuxiliary, openAuxiliary } from "./auxiliary-model.ts";
import { namedWindow } from "./named-window.ts";
import type { OpenedProvider } from "./open-provider.ts";
import { chargeTo, type SideCall } from "./side-calls.ts";

/** What belongs to the session. */
export interface SessionCompressorOptions {
	readonly config: LoadedConfig;
	readonly provider: OpenedProvider;
	readonly store: Store | undefined;
	readonly spending: Spending;
	readonly priceOf: PriceOf;
	/** The session as it is named now. */
	sessionId(): string;
	plan(): readonly PlanStep[];
	rebuildPrompt(): Promise<string>;
	/** Told when the model no longer has all of the conversation before it. */
	onShortened(): void;
	emit(event: AgentEvent): void;
}

const task = "compression";
/** A summary takes longer than other side tasks; the settings may say how long. */
const usualTimeoutSeconds = 120;
/** A window that nobody knows. */
const usualWindow = 128_000;

/** The port of the agent's loop. */
export function sessionCompressor(cli: Cli, options: SessionCompressorOptions): Compress {
	const { config, provider, store, spending, priceOf, sessionId, plan, rebuildPrompt, onShortened, emit } = options;
	const catalog = openCatalog(cli.environment.hermesHome);
	const local = openLocalWindows({ baseUrl: provider.baseUrl, preset: config.get("model.provider") });
	const redact = createRedactor(config.secrets);
	const timeoutSeconds = secondsOf(config);
	const charge = chargeTo({ store, spending, priceOf, sessionId });
	const onUsed = (used: SideCall["used"], { providerId, model }: Pick<ModelRoute, "providerId" | "model">) =>
		charge({ task, providerId, model, used });
	const openSummariser = async () => {
		const { client, model, providerId } = await openAuxiliary(cli, { config, task, main: provider });
		const window =
			config.get(`auxiliary.${task}.context_length`) || catalog.facts(providerId, model).contextTokens || usualWindow;
		const onUsedByIt = (used: SideCall["used"]) => onUsed(used, { providerId, model });
		return { client, model, window, timeoutSeconds, onUsed: onUsedByIt };
	};
	return createCompressor({
		settings: {
			enabled: config.get("compression.enabled"),
			threshold: config.get("compression.threshold"),
			targetRatio: config.get("compression.target_ratio"),
			protectFirst: config.get("compression.protect_first_n"),
			protectLast: config.get("compression.protect_last_n"),
			abortOnFailure: config.get("compression.abort_on_summary_failure"),
		},
		windowOf: ({ providerId, model }) =>
			(providerId === provider.id && (namedWindow(config, model) || local?.of(model))) ||
			catalog.facts(providerId, model).contextTokens,
		summariser: hasAuxiliary(config, task) ? openSummariser : undefined,
		timeoutSeconds,
		mask: (text) => redact(text),
		store,
		onUsed,
		plan,
		rebuildPrompt,
		onShortened,
		emit,
	});
}

function secondsOf(config: LoadedConfig): number {
	const { origin } = config.find(`auxiliary.${task}.timeout`) ?? {};
	const isSet = origin !== undefined && origin.kind !== "default";
	return isSet ? config.get(`auxiliary.${task}.timeout`) : usualTimeoutSeconds;
}
