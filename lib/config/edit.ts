/** Changes one value in the text of a YAML file and leaves every other byte alone: comments, order, spacing, quotes. */

import { isDeepStrictEqual } from "node:util";
import type { ParsedNode, YAMLMap } from "yaml";
import { ConfigInvalid } from "./config-invalid.ts";
import { isMap } from "./expand.ts";
import { parseYaml, type YamlFile } from "./yaml.ts";

/** What to write where. */
export interface Edit {
	/** Name of the file, for messages. */
	readonly file: string;
	readonly path: readonly string[];
	readonly value: unknown;
}

type Yaml = typeof import("yaml");

/**
 * `source` with `edit` made. The result is parsed again: it must say what `source` said, plus the edit, and have every
 * comment that did not stand inside the replaced value; where a cut in the text cannot do that, the document is written anew.
 * @throws {ConfigInvalid} When `source` is broken, or no way of writing it keeps the rest as it was.
 */
export async function editYaml(source: string, edit: Edit): Promise<string> {
	const yaml = await import("yaml");
	const before = await parseYaml(edit.file, source);
	const content = before.content ?? {};
	if (!isMap(content)) throw new ConfigInvalid(`Cannot change "${edit.file}": it holds no keys`);
	const wanted = withValue(content, edit.path, edit.value);
	if (isDeepStrictEqual(wanted, content)) return source;
	const spoken = commentsOf(yaml, source, replacedRange(before, edit.path));
	for (const attempt of [cut, redraw]) {
		const changed = attempt({ yaml, source, before, edit });
		if (changed !== undefined && (await says(changed, { wanted, edit, spoken }))) return changed;
	}
	throw new ConfigInvalid(
		`Cannot set ${edit.path.join(".")} in "${edit.file}": its place is shared with other keys; edit it by hand`,
	);
}

interface Attempt {
	readonly yaml: Yaml;
	readonly source: string;
	readonly before: YamlFile;
	readonly edit: Edit;
}

/** Replaces or adds the piece of text; undefined where that is not possible. */
function cut(attempt: Attempt): string | undefined {
	const { yaml, source, before, edit } = attempt;
	const existing: unknown = before.document.getIn(edit.path, true);
	if (!yaml.isNode(existing) || !existing.range) return add(attempt, edit.path.length - 1);
	const [start, end] = existing.range;
	if (start === end) {
		const position = afterColon(attempt, edit.path);
		return `${source.slice(0, position)} ${inline(yaml, edit.value)}${source.slice(position)}`;
	}
	const isBlock = yaml.isCollection(existing) && !existing.flow;
	// One line in the place of a block must be further in than its key, and end as the block ended.
	const indent = isBlock ? "  " : "";
	const lineEnd = isBlock && source[end - 1] === "\n" ? eolOf(source) : "";
	return source.slice(0, start) + indent + inline(yaml, edit.value) + lineEnd + source.slice(end);
}

/** Where a value belongs that is not written: the library puts it behind the comments that follow. */
function afterColon({ yaml, source, before }: Attempt, path: readonly string[]): number {
	const { document } = before;
	const above: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
	const pairs = yaml.isMap<ParsedNode, ParsedNode | null>(above) ? above.items : [];
	const pair = pairs.find(({ key }) => yaml.isScalar(key) && String(key.value) === path.at(-1));
	return source.indexOf(":", pair?.key.range?.[1] ?? 0) + 1;
}

/** Adds what is missing of the path below its deepest part that is there, at most `depth` parts down. */
function add(attempt: Attempt, depth: number): string | undefined {
	const { yaml, source, before, edit } = attempt;
	const { document } = before;
	const above: unknown = depth === 0 ? document.contents : document.getIn(edit.path.slice(0, depth), true);
	if (yaml.isMap<ParsedNode, ParsedNode | null>(above)) return addTo(attempt, above, depth);
	if (depth > 0 && above === undefined) return add(attempt, depth - 1);
	const isEmpty = above === null || (yaml.isScalar(above) && above.value === null);
	if (!isEmpty) return undefined;
	return depth === 0 ? insert(attempt, { indent: 0, depth, position: source.length }) : fillEmpty(attempt, depth);
}

function eolOf(source: string): string {
	return source.includes("\r\n") ? "\r\n" : "\n";
}

/** A new key after the last one of a map, as far in as the others. */
function addTo(attempt: Attempt, above: YAMLMap<ParsedNode, ParsedNode | null>, depth: number): string | undefined {
	if (above.flow) return addToFlow(attempt, above, depth);
	const first = above.items[0]?.key.range?.[0];
	if (first === undefined) return undefined;
	const { source } = attempt;
	const indent = first - (source.lastIndexOf("\n", first - 1) + 1);
	// Comments at the end of the file belong to nothing above them.
	const position = depth === 0 ? source.length : endOf(attempt.yaml, above);
	return insert(attempt, { indent, depth, position });
}

/** The same inside braces. */
function addToFlow(
	{ yaml, source, edit }: Attempt,
	above: YAMLMap<ParsedNode, ParsedNode | null>,
	depth: number,
): string | undefined {
	const [name = "", ...rest] = edit.path.slice(depth);
	const value = rest.reduceRight<unknown>((inside, part) => ({ [part]: inside }), edit.value);
	const last = above.items.at(-1);
	const position = last ? endOf(yaml, last.value ?? last.key) : (above.range?.[0] ?? -1) + 1;
	const added = `${inline(yaml, name)}: ${inline(yaml, value)}`;
	return source.slice(0, position) + (last ? ", " : "") + added + source.slice(position);
}

/** The first key below a section that is written but empty. */
function fillEmpty(attempt: Attempt, depth: number): string | undefined {
	const { source, before, edit } = attempt;
	const empty: unknown = before.document.getIn(edit.path.slice(0, depth), true);
	if (!attempt.yaml.isScalar(empty) || !empty.range) return undefined;
	const [start, end] = empty.range;
	const position = afterColon(attempt, edit.path.slice(0, depth));
	const without = start === end ? source : source.slice(0, start) + source.slice(end);
	const lineStart = source.lastIndexOf("\n", Math.max(0, position - 1)) + 1;
	const indent = (/^ */.exec(source.slice(lineStart))?.[0].length ?? 0) + 2;
	return insert({ ...attempt, source: without }, { indent, depth, position });
}

function insert(
	{ yaml, source, edit }: Attempt,
	at: { readonly indent: number; readonly depth: number; readonly position: number },
): string {
	const eol = eolOf(source);
	const lines = edit.path.slice(at.depth).map((name, level, names) => {
		const value = level === names.length - 1 ? ` ${inline(yaml, edit.value)}` : "";
		return `${" ".repeat(at.indent + 2 * level)}${inline(yaml, name)}:${value}${eol}`;
	});
	const atLineStart = at.position === 0 || source[at.position - 1] === "\n";
	const lineEnd = source.indexOf("\n", at.position);
	const end = lineEnd < 0 ? source.length : lineEnd + 1;
	const position = atLineStart ? at.position : end;
	const head = source.slice(0, position);
	const closed = head === "" || head.endsWith("\n") ? head : head + eol;
	return closed + lines.join("") + source.slice(position);
}

/** Where the text of a node ends, without what follows it. */
function endOf(yaml: Yaml, node: unknown): number {
	if (yaml.isCollection(node) && !node.flow) {
		const last: unknown = node.items.at(-1);
		if (yaml.isPair(last)) return endOf(yaml, last.value ?? last.key);
		if (last !== undefined) return endOf(yaml, last);
	}
	return yaml.isNode(node) ? (node.range?.[1] ?? 0) : 0;
}

/** Lets the YAML library write the whole document: keeps comments and order, not the spacing. */
function redraw({ before, edit }: Attempt): string | undefined {
	try {
		before.document.setIn(edit.path, edit.value);
		return before.document.toString({ lineWidth: 0 });
	} catch {
		// A path through something that holds no keys.
		return undefined;
	}
}

async function says(
	changed: string,
	{ wanted, edit, spoken }: { wanted: unknown; edit: Edit; spoken: readonly string[] },
): Promise<boolean> {
	try {
		const { content } = await parseYaml(edit.file, changed);
		const comments = commentsOf(await import("yaml"), changed);
		return isDeepStrictEqual(content, wanted) && isDeepStrictEqual(comments, spoken);
	} catch (error) {
		if (error instanceof ConfigInvalid) return false;
		throw error;
	}
}

/** All comments in order, but those between the offsets of `without`. */
function commentsOf(yaml: Yaml, source: string, without?: readonly [number, number]): string[] {
	const comments: string[] = [];
	let offset = 0;
	let isScalar = false;
	for (const lexeme of new yaml.Lexer().lex(source)) {
		// The lexer's own marks are not in the text; the one before a scalar says that a # is no comment.
		const isMark = lexeme === "\u0002" || lexeme === "\u0018" || lexeme === "\u001f";
		const isInside = without !== undefined && offset >= without[0] && offset < without[1];
		if (lexeme.startsWith("#") && !isScalar && !isInside) comments.push(lexeme.trimEnd());
		isScalar = lexeme === "\u001f";
		if (!isMark) offset += lexeme.length;
	}
	return comments;
}

function replacedRange({ document }: YamlFile, path: readonly string[]): readonly [number, number] | undefined {
	const node: unknown = document.getIn(path, true);
	if (typeof node !== "object" || node === null || !("range" in node) || !Array.isArray(node.range)) return undefined;
	return [Number(node.range[0]), Number(node.range[1])];
}

/** `value` on one line, quoted wherever YAML 1.1 would take it for something else. */
function inline(yaml: Yaml, value: unknown): string {
	if (Array.isArray(value))
		return value.length === 0 ? "[]" : `[${value.map((item) => inFlow(yaml, item)).join(", ")}]`;
	if (isMap(value)) {
		const fields = Object.entries(value).map(([name, item]) => `${inFlow(yaml, name)}: ${inFlow(yaml, item)}`);
		return `{${fields.join(", ")}}`;
	}
	const written = new yaml.Document(value, { version: "1.1" }).toString({ lineWidth: 0 }).trimEnd();
	const isOneLine = !/[\r\n]/.test(written) && !/[\p{Cc}\u2028\u2029\ufeff]/u.test(String(value));
	return isOneLine ? written : JSON.stringify(value);
}

/** Between brackets a bare text ends earlier than elsewhere. */
function inFlow(yaml: Yaml, value: unknown): string {
	const written = inline(yaml, value);
	const isBare = typeof value === "string" && written === value;
	return isBare && !/^[\w./@+-]+$/.test(value) ? JSON.stringify(value) : written;
}

function withValue(
	content: Readonly<Record<string, unknown>>,
	[name = "", ...rest]: readonly string[],
	value: unknown,
): Readonly<Record<string, unknown>> {
	const below = content[name];
	const inside = rest.length === 0 ? value : withValue(isMap(below) ? below : {}, rest, value);
	return { ...content, [name]: inside };
}
