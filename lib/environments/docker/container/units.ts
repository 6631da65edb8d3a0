/** Numbers as the docker client writes them. */

const factors: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** Bytes of `512m`, `1.5g`, `100` or `1gb`. @throws {Error} When it is none of these. */
export function bytes(text: string): number {
	const [, number, unit = "b"] = /^(\d+(?:\.\d+)?)\s*([bkmgt])?(?:i?b)?$/i.exec(text.trim()) ?? [];
	if (number === undefined) throw new Error(`"${text}" is no size such as 512m or 2g`);
	return Math.floor(Number(number) * (factors[unit.toLowerCase()] ?? 1));
}

/** A whole number. @throws {Error} When it is none. */
export function whole(text: string): number {
	if (!/^-?\d+$/.test(text.trim())) throw new Error(`"${text}" is no whole number`);
	return Number(text);
}

/** A number. @throws {Error} When it is none. */
export function decimal(text: string): number {
	if (!/^\d+(?:\.\d+)?$/.test(text.trim())) throw new Error(`"${text}" is no number`);
	return Number(text);
}
