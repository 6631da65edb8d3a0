/** What putting the list of tools together costs when nothing is known yet: a new registry, new schemas, no memory. */

import { loadPlugins } from "../lib/base/plugins.ts";
import { createAssembler } from "../lib/registry/definitions.ts";
import { createRegistry } from "../lib/registry/registry.ts";
import { tools } from "../lib/tools/all.ts";
import { defineBench } from "./bench.ts";
import { generatedTools } from "./generated-tools.ts";

export default defineBench({
	operation: "a first list of 70 generated tools and our own (target: 5 ms)",
	floor: "JSON.stringify of the finished list",
	samples: 100,

	async open() {
		const { loaded } = await loadPlugins(tools);
		const all = [...loaded.values(), ...generatedTools(70)];
		const fresh = () => createAssembler(createRegistry(all)).assemble();
		const finished = await fresh();
		return {
			operation: fresh,
			floor: async () => JSON.stringify(finished.definitions),
			async [Symbol.asyncDispose]() {},
		};
	},
});
