/** Leaves modules out of a bundle that the executable never uses, and that would not load in it. */

import type { BunPlugin } from "bun";

/**
 * gRPC and protobufjs serve dockerode's BuildKit sessions only, and protobufjs compiles code from strings when it is loaded;
 * cpu-features is a native add-on that ssh2 can do without.
 */
const unused = /^(?:@grpc\/[\w-]+|protobufjs|cpu-features)(?:\/|$)/;

/** The Bun plug-in that puts an empty module in the place of each unused one. */
export const stubModules: BunPlugin = {
	name: "stub-modules",
	setup(build) {
		build.onResolve({ filter: unused }, ({ path }) => ({ path, namespace: "stub" }));
		build.onLoad({ filter: /.*/, namespace: "stub" }, () => ({ contents: "module.exports = {};", loader: "js" }));
	},
};
