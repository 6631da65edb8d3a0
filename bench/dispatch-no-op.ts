/** What dispatch adds to a tool that does nothing, beside 70 others. */

import { loadPlugins } from "../lib/base/plugins.ts";
import { dispatch } from "../lib/registry/dispatch.ts";
import { createHooks } from "../lib/registry/hooks.ts";
import { createRegistry } from "../lib/registry/registry.ts";
import { createResultBudget } from "../lib/registry/results/result-budget.ts";
import type { ToolContext } from "../lib/registry/tool.ts";
import { createApprover } from "../lib/security/approval.ts";
import { createRedactor } from "../lib/security/redact.ts";
import { tools } from "../lib/tools/all.ts";
import { defineBench } from "./bench.ts";
import { generatedTools } from "./generated-tools.ts";

/** Repetitions in one sample: a single one is too short to be timed. */
const repetitions = 10;

export default defineBench({
	operation: `${repetitions} dispatches of a tool that does nothing (target: 50 µs each)`,
	floor: `${repetitions} bare calls and a JSON.stringify of the answer`,
	samples: 500,

	async open() {
		const generated = generatedTools(70);
		const registry = createRegistry([...(await loadPlugins(tools)).loaded.values(), ...generated]);
		const { signal } = new AbortController();
		const context: ToolContext = {
			sessionId: "bench",
			taskId: "bench",
			signal,
			execute: () => Promise.reject(new Error("Cannot run a command: a no-op needs none")),
			cwd: "/",
			ranOn: "nowhere",
			redact: createRedactor(),
		};
		const parts = {
			registry,
			context,
			approve: createApprover({ mode: "yolo" }),
			hooks: createHooks(),
			budget: createResultBudget(),
			allowed: new Set(registry.list().map(({ name }) => name)),
		};
		const sent = { path: "src/main.ts", limit: 10, names: ["a", "b"], options: { deep: true, mode: "fast" } };
		const call = { name: "generated_7", arguments: JSON.stringify(sent) };
		const bare = async (args: Readonly<Record<string, unknown>>) => JSON.stringify({ done: args.limit });
		return {
			async operation() {
				for (let index = 0; index < repetitions; index++) await dispatch({ ...parts, call });
			},
			async floor() {
				for (let index = 0; index < repetitions; index++) await bare(sent);
			},
			async [Symbol.asyncDispose]() {},
		};
	},
});
