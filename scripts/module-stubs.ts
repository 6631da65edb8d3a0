/** Leaves modules out of a bundle that the executable never uses, and that would not load in it. */

import type { BunPlugin } from "bun";

/** `importer` is a pattern of the modules for which `module` is left out; all of them when there is none. */
interface Stub {
	readonly module: RegExp;
	readonly importer?: RegExp;
}

/**
 * gRPC and protobufjs serve dockerode's BuildKit sessions only; others use them. proto-loader, which nobody here needs, brings
 * the part of protobufjs that compiles code from strings when it is loaded. cpu-features is a native add-on that ssh2 can do without.
 */
const stubs: readonly Stub[] = [
	{ module: /^(?:@grpc\/[\w-]+|protobufjs)(?:\/|$)/, importer: /[\\/](?:dockerode|docker-modem)[\\/]/ },
	{ module: /^(?:@grpc\/proto-loader|cpu-features)(?:\/|$)/ },
];

/** The Bun plug-in that puts an empty module in the place of each unused one. */
export const stubModules: BunPlugin = {
	name: "stub-modules",
	setup(build) {
		for (const { module, importer } of stubs)
			build.onResolve({ filter: module }, (imported) => {
				const isMeant = importer === undefined || importer.test(imported.importer);
				return isMeant ? { path: imported.path, namespace: "stub" } : undefined;
			});
		build.onLoad({ filter: /.*/, namespace: "stub" }, () => ({ contents: "module.exports = {};", loader: "js" }));
	},
};
