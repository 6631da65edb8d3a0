/** Which packages of a public registry a command fetches before it runs them: npx, uvx and their kind. */

import { basename } from "node:path";

/** A package as the registry knows it. */
export interface LaunchedPackage {
	readonly ecosystem: "npm" | "PyPI";
	readonly name: string;
	/** Missing when the command leaves the choice to the registry. */
	readonly version?: string;
}

/** How one launcher reads its arguments. */
interface Launcher {
	readonly ecosystem: LaunchedPackage["ecosystem"];
	/** Words between the program and its flags. */
	readonly verbs: readonly string[];
	/** Flags whose value is a package in the place of the first operand. */
	readonly instead: readonly string[];
	/** Flags whose value is one more package. */
	readonly besides: readonly string[];
	/** Other flags that have a value behind them. */
	readonly valued: readonly string[];
}

const npmValued = [
	"-c",
	"--call",
	"--registry",
	"--cache",
	"--userconfig",
	"--prefix",
	"-w",
	"--workspace",
	"--loglevel",
];
const uvValued = [
	...["-p", "--python", "-i", "--index-url", "--extra-index-url", "--index", "--default-index", "-f", "--find-links"],
	...["--cache-dir", "--directory", "--project", "--config-file", "-c", "--constraints", "-b", "--build-constraints"],
	...["-P", "--upgrade-package", "--refresh-package", "--reinstall-package", "--env-file", "--exclude-newer"],
	...["--link-mode", "--prerelease", "--resolution", "--keyring-provider", "--with-requirements", "--color"],
];
const npm = { ecosystem: "npm", instead: ["-p", "--package"], besides: [], valued: npmValued } as const;
const uv = { ecosystem: "PyPI", instead: ["--from"], besides: ["--with", "-w"], valued: uvValued } as const;

const launchers: Readonly<Record<string, readonly Launcher[]>> = {
	npx: [{ ...npm, verbs: [] }],
	npm: [
		{ ...npm, verbs: ["exec"] },
		{ ...npm, verbs: ["x"] },
	],
	bunx: [{ ...npm, verbs: [] }],
	bun: [{ ...npm, verbs: ["x"] }],
	pnpx: [{ ...npm, verbs: [] }],
	pnpm: [{ ...npm, verbs: ["dlx"] }],
	yarn: [{ ...npm, verbs: ["dlx"] }],
	uvx: [{ ...uv, verbs: [] }],
	uv: [
		{ ...uv, verbs: ["tool", "run"] },
		{ ...uv, verbs: ["x"] },
	],
	pipx: [
		{
			ecosystem: "PyPI",
			verbs: ["run"],
			instead: ["--spec"],
			besides: ["--with"],
			valued: ["--python", "--pip-args", "-i", "--index-url"],
		},
	],
};

/** Empty for a command that fetches nothing, or nothing that a registry has. */
export function launchedPackages(command: string, args: readonly string[]): readonly LaunchedPackage[] {
	const program = basename(command.replaceAll("\\", "/")).replace(/\.(?:cmd|exe|ps1)$/i, "");
	if (program === "deno") return denoPackages(args);
	// A wrapper that says where: `env NAME=value npx …`.
	if (program === "env") return behindEnv(args);
	for (const launcher of launchers[program] ?? []) {
		if (launcher.verbs.every((verb, at) => args[at] === verb)) {
			const specs = specsOf(launcher, args.slice(launcher.verbs.length));
			return specs.flatMap((spec) => (launcher.ecosystem === "npm" ? npmPackage(spec) : pythonPackage(spec)));
		}
	}
	return [];
}

function behindEnv(args: readonly string[]): readonly LaunchedPackage[] {
	const at = args.findIndex((arg) => !/^\w+=/.test(arg) && !arg.startsWith("-"));
	const command = args[at];
	return command === undefined ? [] : launchedPackages(command, args.slice(at + 1));
}

/** What stands in the place of packages: that of flags, else the first operand. */
function specsOf(launcher: Launcher, args: readonly string[]): readonly string[] {
	const named: string[] = [];
	const more: string[] = [];
	let at = 0;
	while (args[at]?.startsWith("-") && args[at] !== "--") {
		const { flag, value, width } = flagAt(launcher, args, at);
		if (launcher.instead.includes(flag)) named.push(value);
		// uv takes several in one.
		if (launcher.besides.includes(flag)) more.push(...value.split(","));
		at += width;
	}
	const operand = args[at] === "--" ? args[at + 1] : args[at];
	const first = named.length > 0 || operand === undefined ? named : [operand];
	return [...first, ...more];
}

/** In any form: `-p X`, `--package X`, `--package=X`; `width` is how many arguments it is. */
function flagAt({ instead, besides, valued }: Launcher, args: readonly string[], at: number) {
	const arg = args[at] ?? "";
	const [flag, attached] = arg.startsWith("--") ? splitOnce(arg) : [arg, undefined];
	const isApart = attached === undefined && [...instead, ...besides, ...valued].includes(flag);
	return { flag, value: attached ?? (isApart ? (args[at + 1] ?? "") : ""), width: isApart ? 2 : 1 };
}

function splitOnce(arg: string): readonly [string, string | undefined] {
	const at = arg.indexOf("=");
	return at < 0 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

/** A path may stand behind the package: which of its programs is meant. */
function denoPackages(args: readonly string[]): readonly LaunchedPackage[] {
	const specs = args.flatMap((arg) => /^npm:\/?((?:@[^/]+\/)?[^/]+)/.exec(arg)?.[1] ?? []);
	return specs.flatMap(npmPackage);
}

/** `@scope/name@1.2.3`, `name@npm:other@1`; a folder, a repository or an address is in no registry. */
function npmPackage(spec: string): readonly LaunchedPackage[] {
	const at = spec.indexOf("@", 1);
	const [name, wanted] = at < 0 ? [spec, ""] : [spec.slice(0, at), spec.slice(at + 1)];
	if (!/^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/.test(name)) return [];
	if (wanted.startsWith("npm:")) return npmPackage(wanted.slice("npm:".length));
	if (/[:/]/.test(wanted)) return [];
	const version = /^v?(\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)$/.exec(wanted)?.[1];
	return [{ ecosystem: "npm", name, ...(version !== undefined && { version }) }];
}

/** `name[extra]==1.2`, `name@1.2`; the name as the registry writes it (PEP 503). */
function pythonPackage(spec: string): readonly LaunchedPackage[] {
	const { name = "", rest = "" } =
		/^(?<name>[A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?<rest>.*)$/.exec(spec.trim())?.groups ?? {};
	if (name === "" || rest.startsWith("/") || rest.startsWith(":") || rest.startsWith("+") || /^@\s*\w+[:+]/.test(rest))
		return [];
	const version = /^(?:===?|@)\s*(\d[\w.!+-]*)$/.exec(rest)?.[1];
	const plain = name.toLowerCase().replace(/[-_.]+/g, "-");
	return [{ ecosystem: "PyPI", name: plain, ...(version !== undefined && { version }) }];
}
