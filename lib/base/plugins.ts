/** Plug-in folders: every module with a default export is a plug-in, anything else beside it is a helper. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Plug-in name to loader. Nothing of a plug-in runs before its loader is called. */
export type Plugins<T> = Readonly<Record<string, () => Promise<{ default: T }>>>;

/** A plug-in whose module could not be loaded, and why. */
export interface PluginFailure {
	readonly name: string;
	readonly reason: string;
}

/** How long one module may take to load; a top-level await that never settles must not hang the others. */
const loadLimitMs = 5_000;

/**
 * The plug-ins of `folder`. Run from source this reads the folder; `scripts/build-binary.ts` replaces the call by its
 * literal result, so the compiled binary holds the same list.
 */
export function modulesIn<T>(folder: string): Plugins<T> {
	return Object.fromEntries(pluginFiles(folder).map((file) => [pluginName(file), () => import(join(folder, file))]));
}

/** `name.ts` and `name/index.ts` files of `folder` that have a default export, in name order, relative to `folder`. */
export function pluginFiles(folder: string): string[] {
	const transpiler = new Bun.Transpiler({ loader: "ts" });
	return ["*.ts", "*/index.ts"]
		.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(folder)])
		.filter((file) => !/\.(d|test)\.ts$/.test(file) && hasDefaultExport(transpiler, join(folder, file)))
		.sort();
}

/** `terminal.ts` and `terminal/index.ts` are both the plug-in `terminal`. */
export function pluginName(file: string): string {
	return file.replace(/(\/index)?\.ts$/, "");
}

/** Loads every plug-in; one that throws or never settles is reported in `failures` and stops no other. */
export async function loadPlugins<T>(
	plugins: Plugins<T>,
	limitMs = loadLimitMs,
): Promise<{ readonly loaded: ReadonlyMap<string, T>; readonly failures: readonly PluginFailure[] }> {
	const loaded = new Map<string, T>();
	const failures: PluginFailure[] = [];
	await Promise.all(
		Object.entries(plugins).map(async ([name, load]) => {
			const outcome = await loadOne(load, limitMs);
			if ("plugin" in outcome) loaded.set(name, outcome.plugin);
			else failures.push({ name, reason: outcome.reason });
		}),
	);
	const inOrder = Object.keys(plugins).flatMap((name) => {
		const plugin = loaded.get(name);
		return plugin === undefined ? [] : [[name, plugin] as const];
	});
	return { loaded: new Map(inOrder), failures };
}

async function loadOne<T>(load: () => Promise<{ default: T }>, limitMs: number) {
	let timer: Timer | undefined;
	const tooLate = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error(`did not load within ${limitMs} ms`)), limitMs);
	});
	try {
		return { plugin: (await Promise.race([load(), tooLate])).default };
	} catch (cause) {
		return { reason: cause instanceof Error ? cause.message : String(cause) };
	} finally {
		clearTimeout(timer);
	}
}

function hasDefaultExport(transpiler: Bun.Transpiler, path: string): boolean {
	try {
		// scan() reads a module without evaluating it; a file it cannot parse is not a plug-in.
		return transpiler.scan(readFileSync(path, "utf8")).exports.includes("default");
	} catch {
		return false;
	}
}
