/** Host patterns as ssh_config and known_hosts write them: `*`, `?`, and a leading `!` that excludes. */

/** Whether one of `patterns` fits `text` and no negated one does. Case does not matter. */
export function matchesPatterns(text: string, patterns: readonly string[]): boolean {
	const excluded = patterns.some((pattern) => pattern.startsWith("!") && fits(text, pattern.slice(1)));
	return !excluded && patterns.some((pattern) => !pattern.startsWith("!") && fits(text, pattern));
}

function fits(text: string, pattern: string): boolean {
	const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
	const source = escaped.replaceAll("*", ".*").replaceAll("?", ".");
	return new RegExp(`^${source}$`, "is").test(text);
}
