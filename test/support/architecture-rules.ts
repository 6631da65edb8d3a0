/** The architecture as functions: each takes modules and returns one line for every place that breaks the rule. */

import type { SourceModule } from "./source-module.ts";

/** The rows of ARCHITECTURE.md, lowest first. A folder of `lib/` may import lower rows and itself. */
export const rows: readonly (readonly string[])[] = [
	["base"],
	["config"],
	["images", "security"],
	["log", "store"],
	["environments", "providers"],
	["files", "processes", "memory", "skills", "web", "browser", "media"],
	["registry"],
	["rpc", "mcp", "plugins"],
	["tools"],
	["agent"],
	["commands", "gateway", "cron", "serve"],
	["cli"],
];

/** Packages that cost milliseconds or megabytes to load; the function that needs one imports it. */
const heavyPackages = [
	"openai",
	"ssh2",
	"dockerode",
	"modal",
	"@daytona",
	"@modelcontextprotocol/sdk",
	"@clack/prompts",
	"@anthropic-ai/sdk",
	"@google/genai",
	"@aws-sdk",
	"@smithy",
	"@azure/identity",
	"@earendil-works/pi-tui",
	"linkedom",
	"unpdf",
	"tar-stream",
];

/** Files and folders (ending in `/`) in which processes may be started. */
const processStarters = [
	"lib/environments/local/",
	"lib/environments/docker/engine/ssh-bridge.ts",
	"lib/environments/docker/image/registry-login.ts",
	"lib/mcp/stdio-transport.ts",
	"lib/plugins/plugin-process.ts",
	"lib/cli/config/run-editor.ts",
	"lib/cli/runtime/read-clipboard.ts",
];

/** A rule: its name, and the lines it has to say about `modules`. */
export interface Rule {
	readonly name: string;
	check(modules: readonly SourceModule[]): string[];
}

/** Every rule, in the order of ARCHITECTURE.md. */
export const rules: readonly Rule[] = [
	{ name: "a folder imports lower rows only", check: (modules) => modules.flatMap(layerViolations) },
	{ name: "nobody imports a plug-in module", check: pluginImports },
	{ name: "only main.ts imports an all.ts", check: listImports },
	{ name: "heavy packages are imported dynamically", check: (modules) => modules.flatMap(heavyImports) },
	{
		name: "only lib/config reads the environment",
		check: outside(["lib/config/"], /\b(?:process|Bun|import\.meta)\.env\b|\{[^}]*\benv\b[^}]*\} = (?:process|Bun)\b/),
	},
	{
		name: "only lib/cli and main.ts write to the console",
		check: outside(["lib/cli/", "main.ts"], /\bconsole\b\s*[.[]/),
	},
	{ name: "only lib/config/home.ts asks for the home folder", check: outside(["lib/config/home.ts"], /\bhomedir\b/) },
	{
		name: "processes are started in few places",
		check: outside(processStarters, /\bBun\.(?:spawn|spawnSync|\$)|["'](?:node:)?child_process["']|\$ \} from "bun"/),
	},
	{ name: "what a chat draws first is loaded without a package", check: firstFramePackages },
	{ name: "one file uses bun:ffi", check: foreignFunctions },
	{ name: "every file opens with a doc comment", check: (modules) => modules.flatMap(missingOpening) },
	{ name: "every export has a doc comment", check: (modules) => modules.flatMap(missingDocs) },
	{ name: "main.ts is short", check: (modules) => modules.flatMap(longMain) },
];

function layerViolations({ path, imports }: SourceModule): string[] {
	if (!path.startsWith("lib/")) return [];
	const row = rowOf(path);
	if (row === undefined) return [`${path}: this folder is in no row of the table`];
	return imports
		.map(({ target }) => target)
		.filter((target) => isOurs(target) && folderOf(target) !== folderOf(path))
		.filter((target) => (rowOf(target) ?? Number.POSITIVE_INFINITY) >= row)
		.map((target) => `${path} imports ${target}, which is no lower row`);
}

function pluginImports(modules: readonly SourceModule[]): string[] {
	const plugins = new Set(modules.filter(({ hasDefaultExport }) => hasDefaultExport).map(({ path }) => path));
	return importsWhere(modules, (target) => plugins.has(target)).map((line) => `${line}, which is a plug-in`);
}

function listImports(modules: readonly SourceModule[]): string[] {
	const others = modules.filter(({ path }) => path !== "main.ts");
	return importsWhere(others, (target) => /^lib\/.*\/all\.ts$/.test(target));
}

function heavyImports({ path, imports }: SourceModule): string[] {
	return imports
		.filter(({ kind, target }) => kind === "static" && heavyPackages.some((name) => isPackage(target, name)))
		.map(({ target }) => `${path} imports ${target} at its top: use await import() where it is needed`);
}

/** A chat draws its first word before the rest is loaded; a package here would keep everybody waiting. */
function firstFramePackages(modules: readonly SourceModule[]): string[] {
	const byPath = new Map(modules.map((module) => [module.path, module]));
	const reached = new Set(["lib/cli/terminal/early-frame.ts", "lib/cli/terminal/chat-frame.ts"]);
	const broken: string[] = [];
	for (const path of reached) {
		for (const { kind, target } of byPath.get(path)?.imports ?? []) {
			if (kind !== "static" || /^(?:node|bun)(?::|$)/.test(target)) continue;
			if (target.startsWith("lib/")) reached.add(target);
			else broken.push(`${path} imports ${target}, and a chat draws its first frame with it`);
		}
	}
	return broken;
}

function foreignFunctions(modules: readonly SourceModule[]): string[] {
	const users = modules.filter(({ imports }) => imports.some(({ target }) => target === "bun:ffi"));
	return users.length <= 1 ? [] : users.map(({ path }) => `${path} is not the only file that uses bun:ffi`);
}

function missingOpening({ path, source }: SourceModule): string[] {
	return /^(?:#!.*\n)?\/\*\*(?:\n \*)? [^\s*]/.test(source) ? [] : [`${path} does not open with a doc comment`];
}

/** Of what is declared here; a default export is what its file says, and a re-export is documented where it is made. */
function missingDocs({ path, source }: SourceModule): string[] {
	const declared =
		/^(?<!\*\/\n)export (?:declare )?(?:abstract |async )?(?:class|const|function\*?|interface|let|type) (\w+)/gm;
	if (!path.startsWith("lib/")) return [];
	return [...source.matchAll(declared)].map(([, name]) => `${path} exports ${name} without a doc comment`);
}

function longMain({ path, source }: SourceModule): string[] {
	const lines = source.split("\n").length - 1;
	return path === "main.ts" && lines >= 120 ? [`main.ts has ${lines} lines; fewer than 120 are allowed`] : [];
}

/** A check that `form` occurs in the code of no file but the allowed ones. */
function outside(allowed: readonly string[], form: RegExp): (modules: readonly SourceModule[]) => string[] {
	const isAllowed = (path: string) =>
		allowed.some((place) => (place.endsWith("/") ? path.startsWith(place) : path === place));
	return (modules) =>
		modules
			.filter(({ path, code }) => !isAllowed(path) && form.test(code))
			.map(({ path, code }) => `${path} has ${form.exec(code)?.[0]}`);
}

function importsWhere(modules: readonly SourceModule[], matches: (target: string) => boolean): string[] {
	return modules.flatMap(({ path, imports }) =>
		imports.filter(({ target }) => matches(target)).map(({ target }) => `${path} imports ${target}`),
	);
}

/** Relative imports were made project paths; what a package or Bun itself provides has no folder of ours in front. */
function isOurs(target: string): boolean {
	return /^(?:lib|test|scripts|bench)\/|^main\.ts$/.test(target);
}

/** `lib/tools/read-file.ts` is in `tools`. */
function folderOf(path: string): string | undefined {
	return /^lib\/([^/]+)\//.exec(path)?.[1];
}

function rowOf(path: string): number | undefined {
	const folder = folderOf(path);
	const row = rows.findIndex((folders) => folder !== undefined && folders.includes(folder));
	return row === -1 ? undefined : row;
}

function isPackage(target: string, name: string): boolean {
	return target === name || target.startsWith(`${name}/`);
}
