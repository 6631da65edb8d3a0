/** `${NAME}` inside configuration values. */

/** `value` with every `${NAME}` in its texts replaced; a variable that is not set stays as it is written. */
export function expandVariables(value: unknown, variables: Readonly<Record<string, string>>): unknown {
	if (typeof value === "string") {
		return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (written, name: string) => variables[name] ?? written);
	}
	if (Array.isArray(value)) return value.map((item) => expandVariables(item, variables));
	if (!isMap(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, expandVariables(item, variables)]));
}

/** A plain object, as YAML maps are after parsing. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `over` laid on `under`: maps are merged, everything else (lists too) is replaced. */
export function mergeMaps(
	under: Readonly<Record<string, unknown>>,
	over: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
	const merged: Record<string, unknown> = { ...under };
	for (const [name, value] of Object.entries(over)) {
		const below = merged[name];
		merged[name] = isMap(below) && isMap(value) ? mergeMaps(below, value) : value;
	}
	return merged;
}
