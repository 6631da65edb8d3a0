/** Values that nobody can change any more. */

/** Freezes `value` and everything in it, and returns it. */
export function deepFreeze<T>(value: T): T {
	if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
	Object.freeze(value);
	for (const part of Object.values(value)) deepFreeze(part);
	return value;
}
