/** Freezes plug-in lists: in a bundle, every `modulesIn<T>(import.meta.dir)` call becomes the record it would have returned. */

import { dirname, relative } from "node:path";
import type { BunPlugin } from "bun";
import { pluginFiles, pluginName } from "../lib/base/plugins.ts";

/** Where `modulesIn` is declared; the one file that may name it without having its calls replaced. */
const declaration = /\/lib\/base\/plugins\.ts$/;

/** Text that only the scanner behind `modulesIn` has: a bundle that contains it still scans folders at run time. */
const scannerMark = ".(d|test)\\.ts$";

/** One frozen list, for the build's report. */
export interface FrozenList {
	readonly file: string;
	readonly names: readonly string[];
}

/**
 * The Bun plug-in that freezes lists. `onFrozen` is told of every list.
 * Bundling fails when a list is empty or a call has another form than `modulesIn<T>(import.meta.dir)`.
 */
export function freezePlugins(onFrozen: (list: FrozenList) => void = () => {}): BunPlugin {
	return {
		name: "freeze-plugins",
		setup(build) {
			build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
				if (declaration.test(path)) return undefined;
				const source = await Bun.file(path).text();
				if (!source.includes("modulesIn")) return undefined;
				const files = pluginFiles(dirname(path));
				onFrozen({ file: relative(process.cwd(), path), names: files.map(pluginName) });
				return { contents: frozenSource(source, files, path), loader: "js" };
			});
		},
	};
}

/**
 * `source` without types and with its list call replaced by a record of `files`.
 * @throws {Error} When the list is empty, or when `modulesIn` is used in a form that cannot be replaced.
 */
export function frozenSource(source: string, files: readonly string[], path: string): string {
	// Printing it as JavaScript first removes type arguments of any depth, comments and odd spacing.
	const plain = new Bun.Transpiler({ loader: "ts", target: "bun" }).transformSync(source);
	const record = files.map(
		(file) => `${JSON.stringify(pluginName(file))}: () => import(${JSON.stringify(`./${file}`)})`,
	);
	const frozen = plain
		.replaceAll("modulesIn(import.meta.dir)", () => `{ ${record.join(", ")} }`)
		.replaceAll(/^import \{ modulesIn \} from .*\n/gm, "");
	if (frozen.includes("modulesIn")) {
		throw new Error(`Cannot freeze the plug-in list in "${path}": use modulesIn<T>(import.meta.dir), nothing else`);
	}
	if (files.length === 0) throw new Error(`Cannot freeze the plug-in list in "${path}": the folder has no plug-in`);
	return frozen;
}

/** Whether a bundle, or a binary made of one, still scans folders at run time. */
export function scansAtRunTime(bundle: Uint8Array): boolean {
	return Buffer.from(bundle.buffer, bundle.byteOffset, bundle.byteLength).includes(scannerMark);
}
