/** Syntax checks that need no program: data formats, JavaScript and TypeScript. */

import { posix } from "node:path";
import { attempt } from "../../base/attempt.ts";
import type { Check, Findings, Problem } from "./checker.ts";

const clean: Findings = { problems: [] };

/** Files whose JSON may hold comments and commas before a closing bracket. */
const withComments =
	/^(?:[tj]sconfig.*|\.(?:eslintrc|babelrc|swcrc|hintrc)|devcontainer|settings|launch|tasks|extensions|keybindings)\.json$/;

/** JSON, and JSON with comments where tools allow them. */
export const checkJson: Check = async (_, { path, text }) => {
	if (text.trim() === "") return { problems: [{ message: "an empty file is no JSON" }] };
	const name = posix.basename(path);
	const isLoose = withComments.test(name) || name.endsWith(".jsonc") || path.includes("/.vscode/");
	const parsed = attempt((): unknown => (isLoose ? Bun.JSONC.parse(text) : JSON.parse(text)));
	if (parsed.ok) return clean;
	// The parser does not say where; JSON is YAML too, whose parser does.
	const where = (await yamlProblems(text))[0]?.line;
	return { problems: [{ message: parsed.reason, ...(where !== undefined && { line: where }) }] };
};

/** Any number of documents, with tags of any kind. */
export const checkYaml: Check = async (_, { text }) => {
	const problems = await yamlProblems(text);
	if (problems.length > 0 && text.includes("{{")) return { skipped: "it looks like a template" };
	return { problems };
};

async function yamlProblems(text: string): Promise<Problem[]> {
	const { LineCounter, parseAllDocuments } = await import("yaml");
	const lineCounter = new LineCounter();
	const documents = parseAllDocuments(text, { lineCounter, logLevel: "silent", prettyErrors: false });
	return [...documents].flatMap(({ errors }) =>
		errors.map(({ message, pos: [start] }) => ({ line: lineCounter.linePos(start).line, message: firstLine(message) })),
	);
}

/** TOML 1.0. */
export const checkToml: Check = async (_, { text }) => {
	const parsed = attempt((): unknown => Bun.TOML.parse(text));
	return parsed.ok ? clean : { problems: [{ message: parsed.reason }] };
};

/** JavaScript and TypeScript. Types are not looked at: that takes the whole project. */
export function checkScript(loader: "jsx" | "ts" | "tsx"): Check {
	return async (_, { text }) => {
		if (loader === "jsx" && text.includes("@flow")) return { skipped: "it has types of another checker" };
		try {
			new Bun.Transpiler({ loader, target: "bun" }).transformSync(text);
			return clean;
		} catch (cause) {
			return { problems: problemsIn(cause) };
		}
	};
}

/** A transpiler throws one message, or a list of them. */
function problemsIn(cause: unknown): Problem[] {
	if (cause instanceof AggregateError) return cause.errors.flatMap(problemsIn);
	if (!(cause instanceof BuildMessage)) throw cause;
	const line = cause.position?.line;
	return [{ message: firstLine(cause.message), ...(line !== undefined && line > 0 && { line }) }];
}

function firstLine(text: string): string {
	return text.split("\n", 1)[0] ?? "";
}
