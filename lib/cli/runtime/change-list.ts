/** Changes a list in config.yaml: comments stay, and two processes at it lose nothing. */

import { ConfigInvalid } from "../../config/config-invalid.ts";
import { editYaml } from "../../config/edit.ts";
import { changeFile, configPath } from "../../config/files.ts";
import { parseYaml } from "../../config/yaml.ts";

/** What becomes of the list; undefined stands for one that is not written. */
export type ListChange = (list: readonly string[] | undefined) => readonly string[] | undefined;

/**
 * Puts what `change` makes of the list at `key` in its place; the file is not touched when that is the same.
 * @throws {ConfigInvalid} When config.yaml is broken, or something else than a list of texts stands there.
 */
export async function changeList(home: string, key: string, change: ListChange): Promise<void> {
	const file = configPath(home);
	const path = key.split(".");
	await changeFile(file, home, async (source) => {
		const { document } = await parseYaml(file, source);
		const written: unknown = document.getIn(path);
		const before =
			written === undefined || written === null ? undefined : toList(document.getIn(path, false), file, key);
		const after = change(before);
		return after === undefined ? source : await editYaml(source, { file, path, value: after });
	});
}

function toList(value: unknown, file: string, key: string): readonly string[] {
	const plain: unknown =
		typeof value === "object" && value !== null && "toJSON" in value ? JSON.parse(JSON.stringify(value)) : value;
	if (typeof plain === "string") return plain.split(",").map((name) => name.trim());
	if (Array.isArray(plain)) return plain.map(String);
	throw new ConfigInvalid(`Cannot change ${key} in "${file}": a list of texts is expected there`);
}
