/** What putting the list of tools together costs: 70 generated tools beside our own, from memory. */

import { loadPlugins } from "../lib/base/plugins.ts";
import { createAssembler } from "../lib/registry/definitions.ts";
import { createRegistry } from "../lib/registry/registry.ts";
import { tools } from "../lib/tools/all.ts";
import { defineBench } from "./bench.ts";
import { generatedTools } from "./generated-tools.ts";

/** Repetitions in one sample: a single one is too short to be timed. */
const repetitions = 100;

export default defineBench({
	operation: `${repetitions} lists of 70 generated tools and our own, nothing changed (target: 5 µs each)`,
	floor: `${repetitions} bare calls and a JSON.stringify of the request`,
	samples: 300,

	async open() {
		const registry = createRegistry([...(await loadPlugins(tools)).loaded.values(), ...generatedTools(70)]);
		const assembler = createAssembler(registry);
		const request = { enabled: ["hermes-cli", "mcp-generated"], disabled: ["web"] };
		const bare = async () => JSON.stringify(request);
		return {
			async operation() {
				for (let index = 0; index < repetitions; index++) await assembler.assemble(request);
			},
			async floor() {
				for (let index = 0; index < repetitions; index++) await bare();
			},
			async [Symbol.asyncDispose]() {},
		};
	},
});
