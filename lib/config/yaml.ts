/** Reads YAML as the original does: version 1.1, with every error at its line and column. */

import type { Document, LineCounter, ParsedNode, ScalarTag, Tags } from "yaml";
import { ConfigInvalid, type Position } from "./config-invalid.ts";

/** A parsed file and what is needed to point into it. */
export interface YamlFile {
	readonly document: Document.Parsed<ParsedNode>;
	/** The content with whole numbers as numbers, or as their digits when a number cannot hold them. */
	readonly content: unknown;
	/** Tags that mean nothing here, one line each. */
	readonly warnings: readonly string[];
	/** Where the value at `path` stands, or its nearest written ancestor. */
	positionOf(path: readonly string[]): Position | undefined;
	/** Where the name of the key at `path` stands: for a section that is another line than its value. */
	keyPositionOf(path: readonly string[]): Position | undefined;
}

/**
 * Parses `source`, the content of `file`.
 * @throws {ConfigInvalid} When it is not one YAML document; nothing of a broken file is used.
 */
export async function parseYaml(file: string, source: string): Promise<YamlFile> {
	const yaml = await import("yaml");
	const lines = new yaml.LineCounter();
	const document = yaml.parseDocument(source, {
		version: "1.1",
		intAsBigInt: true,
		lineCounter: lines,
		prettyErrors: false,
		customTags: tagsOfTheOriginal,
	});
	const [error] = document.errors;
	if (error) {
		const isSecond = error.code === "MULTIPLE_DOCS";
		const message = isSecond ? "a second document begins; the file must be one" : error.message;
		throw invalid(file, positionAt(lines, error.pos[0]), message);
	}
	return {
		document,
		content: contentOf(file, document),
		warnings: document.warnings.map(({ message, pos }) => `${place(file, positionAt(lines, pos[0]))}: ${message}`),
		positionOf: (path) => nearestPosition(document, lines, path),
		keyPositionOf: (path) => keyPosition(yaml, { document, lines }, path) ?? nearestPosition(document, lines, path),
	};
}

/** `config.yaml:3:5`, or the name alone. */
export function place(file: string, position: Position | undefined): string {
	return position ? `${file}:${position.line}:${position.column}` : file;
}

function invalid(file: string, position: Position, message: string): ConfigInvalid {
	const where = `line ${position.line}, column ${position.column}`;
	return new ConfigInvalid(`Cannot read "${file}": ${where}: ${message.replace(/\s+/g, " ").trim()}`, { position });
}

function contentOf(file: string, document: Document.Parsed<ParsedNode>): unknown {
	try {
		return withoutBigInts(document.toJS());
	} catch (cause) {
		// An alias without its anchor, or one that expands without end.
		const reason = cause instanceof Error ? cause.message : String(cause);
		throw new ConfigInvalid(`Cannot read "${file}": ${reason}`, { cause });
	}
}

/**
 * The original's parser knows no `y` and `n` as booleans although YAML 1.1 has them, and dates are of no use in a
 * configuration: both stay text.
 */
function tagsOfTheOriginal(tags: Tags): Tags {
	return tags
		.filter((tag) => tag !== "timestamp" && (typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:timestamp"))
		.map((tag) => (typeof tag !== "string" && tag.tag === "tag:yaml.org,2002:bool" ? booleanTag(tag) : tag));
}

function booleanTag(tag: Exclude<Tags[number], string>): Exclude<Tags[number], string> {
	const isTrue = "test" in tag && tag.test instanceof RegExp && tag.test.test("true");
	const words = isTrue ? /^(?:true|True|TRUE|yes|Yes|YES|on|On|ON)$/ : /^(?:false|False|FALSE|no|No|NO|off|Off|OFF)$/;
	return Object.assign({}, tag, { test: words } satisfies Partial<ScalarTag>);
}

/** Chat ids have more digits than a number can hold: such a one becomes its digits instead of a near miss. */
function withoutBigInts(value: unknown): unknown {
	if (typeof value === "bigint") {
		const number = Number(value);
		return Number.isSafeInteger(number) ? number : String(value);
	}
	if (Array.isArray(value)) return value.map(withoutBigInts);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutBigInts(item)]));
}

function nearestPosition(
	document: Document.Parsed<ParsedNode>,
	lines: LineCounter,
	path: readonly string[],
): Position | undefined {
	for (let depth = path.length; depth > 0; depth--) {
		const node: unknown = document.getIn(path.slice(0, depth), true);
		if (typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)) {
			return positionAt(lines, Number(node.range[0]));
		}
	}
	return undefined;
}

function keyPosition(
	yaml: typeof import("yaml"),
	{ document, lines }: { readonly document: Document.Parsed<ParsedNode>; readonly lines: LineCounter },
	path: readonly string[],
): Position | undefined {
	const above: unknown = path.length < 2 ? document.contents : document.getIn(path.slice(0, -1), true);
	if (!yaml.isMap(above)) return undefined;
	const key = above.items
		.map((pair) => pair.key)
		.find((each) => yaml.isScalar(each) && String(each.value) === path.at(-1));
	return yaml.isScalar(key) && key.range ? positionAt(lines, key.range[0]) : undefined;
}

function positionAt(lines: LineCounter, offset: number): Position {
	const { line, col } = lines.linePos(offset);
	return { line: Math.max(1, line), column: Math.max(1, col) };
}
