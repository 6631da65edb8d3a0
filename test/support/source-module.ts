/** One source file as the architecture rules see it: its imports and its code without comments. */

import { dirname, join, normalize } from "node:path";

/** One import of a module. */
export interface Import {
	/** Path inside the project (`lib/base/json.ts`) for a relative import, else the specifier as written. */
	readonly target: string;
	/** `type` is gone at run time; `dynamic` runs when the function that holds it does. */
	readonly kind: "static" | "dynamic" | "type";
}

/** A parsed source file. */
export interface SourceModule {
	/** Relative to the project's folder, with `/`. */
	readonly path: string;
	readonly source: string;
	/** The source printed as JavaScript: no types, no comments. */
	readonly code: string;
	readonly imports: readonly Import[];
	readonly hasDefaultExport: boolean;
}

const transpiler = new Bun.Transpiler({ loader: "ts", target: "bun", deadCodeElimination: false });
const keepingUnused = new Bun.Transpiler({
	loader: "ts",
	tsconfig: JSON.stringify({ compilerOptions: { verbatimModuleSyntax: true } }),
});

/** Reads `source` as the file `path` of the project. */
export function sourceModule(path: string, source: string): SourceModule {
	const atRunTime = transpiler.scanImports(source).map(({ path: specifier, kind }) => ({
		target: inProject(path, specifier),
		kind: kind === "dynamic-import" ? ("dynamic" as const) : ("static" as const),
	}));
	const known = new Set(atRunTime.map(({ target }) => target));
	const types = typeImports(source)
		.map((specifier) => inProject(path, specifier))
		.filter((target) => !known.has(target))
		.map((target) => ({ target, kind: "type" as const }));
	return {
		path,
		source,
		code: transpiler.transformSync(source),
		imports: [...atRunTime, ...types],
		hasDefaultExport: transpiler.scan(source).exports.includes("default"),
	};
}

/** Every `.ts` file below the given folders or files of the project at `root`. */
export async function readModules(root: string, patterns: readonly string[]): Promise<SourceModule[]> {
	const paths = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)]).sort();
	return Promise.all(paths.map(async (path) => sourceModule(path, await Bun.file(join(root, path)).text())));
}

/** The transpiler drops what only types need, so it is shown a source whose type imports are plain ones. */
function typeImports(source: string): string[] {
	const plain = source.replace(
		/^(import|export) (?:type )?(\{[^}]*\}|\* as \w+|\w+(?:, \{[^}]*\})?) from /gm,
		(_, keyword: string, names: string) => `${keyword} ${names.replace(/\btype /g, "")} from `,
	);
	const inline = [...source.matchAll(/\bimport\("([^"]+)"\)/g)].flatMap(([, specifier]) => specifier ?? []);
	return [...keepingUnused.scanImports(plain).map(({ path }) => path), ...inline];
}

function inProject(from: string, specifier: string): string {
	return specifier.startsWith(".") ? normalize(join(dirname(from), specifier)) : specifier;
}
