/** What is written for a script, and the words that start it, by what runs it. */

import type { Interpreter, ScriptLanguage } from "./interpreter.ts";
import type { FolderContent } from "./script-folder.ts";
import { namesIn, type ScriptOffer } from "./script-tools.ts";
import before from "./stub/before.js" with { type: "text" };
import { pythonStub } from "./stub/python-stub.ts";
import { typescriptStub } from "./stub/typescript-stub.ts";

/** Ready to be written and started. */
export interface ScriptPlan {
	readonly content: Omit<FolderContent, "folders">;
	/** Given the folder that the content is in. */
	argv(folder: string): readonly string[];
	/** Given that folder, and what the environment already has. */
	variables(folder: string, env: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
}

/** A script for `interpreter`. Where nothing is offered there is no module to import. @throws {SyntaxError} Only for node, which is sent JavaScript. */
export function planScript(interpreter: Interpreter, code: string, offer: ScriptOffer): ScriptPlan {
	const hasTools = namesIn(offer).size > 0;
	if (interpreter.kind === "python") return pythonPlan(interpreter, code, hasTools ? pythonStub(offer) : undefined);
	const stub = hasTools ? typescriptStub(offer) : undefined;
	return interpreter.kind === "node" ? nodePlan(interpreter, code, stub) : bunPlan(interpreter, code, stub);
}

/** The language of what an interpreter runs. */
export function languageOf({ kind }: Interpreter): ScriptLanguage {
	return kind === "python" ? "python" : "typescript";
}

function pythonPlan({ path }: Interpreter, code: string, stub: string | undefined): ScriptPlan {
	return {
		content: { main: { name: "script.py", text: code }, others: stub === undefined ? {} : { "hermes_tools.py": stub } },
		argv: (folder) => [path, `${folder}/script.py`],
		variables: (folder, { PYTHONPATH: before }) => ({
			PYTHONDONTWRITEBYTECODE: "1",
			PYTHONIOENCODING: "utf-8",
			PYTHONUTF8: "1",
			// For programs that the script starts; it finds the module beside itself.
			PYTHONPATH: before ? `${folder}:${before}` : folder,
		}),
	};
}

/** Nothing of the folder the script works in may be loaded: no settings, no preload, no packages from the network. */
function bunPlan({ kind, path }: Interpreter, code: string, stub: string | undefined): ScriptPlan {
	// What can start no program hands nothing on.
	const clears = kind === "self" && reachesOut.test(code);
	const others = {
		"bunfig.toml": "",
		...(clears && { "before.js": before }),
		...(stub !== undefined && { "hermes_tools.ts": stub, "tsconfig.json": modulePaths }),
	};
	return {
		content: { main: { name: "script.ts", text: code }, others },
		argv: (folder) => [
			path,
			...[`--config=${folder}/bunfig.toml`, "--no-env-file", "--no-install"],
			...(clears ? [`--preload=${folder}/before.js`] : []),
			`${folder}/script.ts`,
		],
		variables: () => ({
			...(kind === "self" && { BUN_BE_BUN: "1" }),
			BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
			DO_NOT_TRACK: "1",
		}),
	};
}

const modulePaths = JSON.stringify({ compilerOptions: { paths: { hermes_tools: ["./hermes_tools.ts"] } } });

/** Without one of these words a script in TypeScript can neither import nor start anything. */
const reachesOut = /\b(?:import|require|Bun|process|global|globalThis|self|this|eval|Function|constructor|Worker)\b|\\/;
/** The same in Python, where names can be put together in more ways. */
const importsInPython = /\b(?:import|exec|eval|compile|getattr|globals|open|vars)\b|__/;

/** Whether `code` can import anything at all: what cannot needs no tools, and starts faster. */
export function canImport({ kind }: Interpreter, code: string): boolean {
	return (kind === "python" ? importsInPython : reachesOut).test(code);
}

/** Most versions of node know no types, so they are taken out before. */
function nodePlan({ path }: Interpreter, code: string, stub: string | undefined): ScriptPlan {
	const transpiler = new Bun.Transpiler({ loader: "ts", target: "node" });
	const imported = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])(?:\.\/)?hermes_tools(?:\.[mc]?[tj]s)?\2/g;
	const main = transpiler.transformSync(code).replaceAll(imported, '$1"./hermes_tools.mjs"');
	return {
		content: {
			main: { name: "script.mjs", text: main },
			others: stub === undefined ? {} : { "hermes_tools.mjs": transpiler.transformSync(stub) },
		},
		argv: (folder) => [path, "--no-warnings", `${folder}/script.mjs`],
		variables: () => ({}),
	};
}
