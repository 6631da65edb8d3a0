/** Whether tools can be used now: probes that are asked seldom, never twice at once, and never waited for long. */

import { attemptAsync } from "../base/attempt.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
import type { Tool, ToolSettings } from "./tool.ts";

/** `true`, or one line that says why not. */
export type Verdict = true | string;

/** How long a verdict stands: the outside changes at human pace, and a change is seen within a turn or two. */
const verdictMs = 30_000;
/**
 * A failure this soon after a success is a flake. One slow `docker version` would otherwise take terminal and file tools
 * from the model; the price is that a dead backend is offered for a minute.
 */
const graceMs = 60_000;
const probeLimitMs = 5_000;

/** How probes are timed and told of. */
export interface AvailabilityOptions {
	readonly log?: Pick<Logger, "warning">;
	/** Milliseconds, never going back. */
	readonly now?: () => number;
	/** How long a probe may take before it counts as failed. */
	readonly probeLimitMs?: number;
	/** The settings of the run now, for probes that depend on them; call `invalidate` when they change. */
	readonly settings?: () => ToolSettings;
}

/** The verdicts of one process. */
export interface Availability {
	/** A probe that throws or does not answer counts as a no. Never rejects. */
	check(tool: Tool): Promise<Verdict>;
	/** Grows whenever a verdict that was given changes. */
	readonly epoch: number;
	/** The time until which all verdicts of `tools` stand; in the past when one has to be asked for. */
	freshUntil(tools: Iterable<Tool>): number;
	/** Forgets every verdict and every success, after a change of the configuration. */
	invalidate(): void;
	now(): number;
}

interface Probe {
	/** Set while the verdict stands. */
	known?: { readonly verdict: Verdict; readonly until: number };
	/** What the last caller was told. */
	given?: Verdict;
	lastSuccess: number;
	/** The question under way, shared by everybody who asks meanwhile. */
	asking?: Promise<Verdict>;
	/** When a probe was started that has not come back yet. */
	startedAt?: number;
}

type ProbeFunction = NonNullable<Tool["available"]>;

/** Verdicts that are shared by all tools with the same `available` function. */
export function createAvailability(options: AvailabilityOptions = {}): Availability {
	const { log = silentLogger, now = () => performance.now(), probeLimitMs: limitMs = probeLimitMs } = options;
	const { settings = () => undefined } = options;
	let probes = new Map<ProbeFunction, Probe>();
	let epoch = 0;

	const settle = (tool: Tool, probe: Probe, answer: Verdict): Verdict => {
		const isFlake = answer !== true && now() - probe.lastSuccess < graceMs;
		if (answer === true) probe.lastSuccess = now();
		if (isFlake) {
			delete probe.known;
			log.warning(`${tool.name} stays available: ${answer}, but it worked a moment ago`);
		} else probe.known = { verdict: answer, until: now() + verdictMs };
		const verdict = isFlake ? true : answer;
		if (probe.given !== verdict) epoch++;
		probe.given = verdict;
		return verdict;
	};

	const ask = async (tool: Tool, available: ProbeFunction, probe: Probe): Promise<Verdict> => {
		const isOverdue = probe.startedAt !== undefined && now() - probe.startedAt < verdictMs;
		if (isOverdue) return settle(tool, probe, `its check still does not answer`);
		const startedAt = now();
		probe.startedAt = startedAt;
		const asked = attemptAsync(() => available.call(tool, settings())).then((answer) => {
			if (probe.startedAt === startedAt) delete probe.startedAt;
			return answer.ok ? answer.value : `its check failed: ${answer.reason}`;
		});
		return settle(tool, probe, await withinLimit(asked, limitMs));
	};

	return {
		async check(tool) {
			const { available } = tool;
			if (available === undefined) return true;
			const probe = probes.get(available) ?? { lastSuccess: Number.NEGATIVE_INFINITY };
			probes.set(available, probe);
			if (probe.known !== undefined && now() < probe.known.until) return probe.known.verdict;
			probe.asking ??= ask(tool, available, probe).finally(() => delete probe.asking);
			return probe.asking;
		},
		get epoch() {
			return epoch;
		},
		freshUntil(tools) {
			let earliest = Number.POSITIVE_INFINITY;
			for (const { available } of tools) {
				if (available === undefined) continue;
				earliest = Math.min(earliest, probes.get(available)?.known?.until ?? Number.NEGATIVE_INFINITY);
			}
			return earliest;
		},
		invalidate() {
			// Questions under way settle into the map that is dropped here.
			probes = new Map();
			epoch++;
		},
		now,
	};
}

async function withinLimit(asked: Promise<Verdict>, limitMs: number): Promise<Verdict> {
	const { promise: tooLate, resolve } = Promise.withResolvers<Verdict>();
	const timer = setTimeout(resolve, limitMs, `its check did not answer within ${limitMs / 1000} s`);
	try {
		return await Promise.race([asked, tooLate]);
	} finally {
		clearTimeout(timer);
	}
}
