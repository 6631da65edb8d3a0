/** What `${x#…}`, `${x%…}`, `${x/…/…}`, `${x:…}`, `${x^…}` and `${x,…}` make of a value that is known. */

const operation = /^(##|#|%%|%|\/\/|\/#|\/%|\/|:|\^\^?|,,?|~~?|@(?=[ULu]$))([\s\S]*)$/;
const range = /^[ \t]*\(?(-?\d{1,6}|(?=:))\)?(?:[ \t]*:[ \t]*(-?\d{1,6}))?[ \t]*$/;
/** A longer pattern is not followed. */
const longestPattern = 128;

/**
 * `value` changed by `change`, which is what stands behind the name in the braces; characters that are quoted there have a backslash before
 * them. Any other operator leaves it as it is. Undefined when the pattern is more than one `*` and some `?` in a text.
 */
export function changedValue(value: string, change: string): string | undefined {
	const [, operator = "", operand = ""] = operation.exec(change) ?? [];
	if (operator === "") return value;
	if (operator === ":") return slice(value, operand);
	if (operator.startsWith("/")) return replaced(value, operator, operand);
	const setCase = cases[operator === "@" ? operand : operator];
	if (setCase !== undefined) return operator === "@" || operand === "" ? setCase(value) : undefined;
	const shortest = operator.length === 1;
	const pattern = sourceOf(operand, { shortest });
	if (pattern === undefined) return undefined;
	if (operator.startsWith("#")) return value.replace(new RegExp(`^${pattern}`), "");
	// The shortest end is what is left behind the longest beginning.
	return value.replace(new RegExp(`^([\\s\\S]*${shortest ? "" : "?"})${pattern}$`), "$1");
}

const upper = (text: string) => text.toUpperCase();
const lower = (text: string) => text.toLowerCase();
const swapped = (text: string) => text.replace(/./gs, (one) => (upper(one) === one ? lower(one) : upper(one)));
const ofFirst = (change: (text: string) => string) => (value: string) => change(value.slice(0, 1)) + value.slice(1);

/** What is said behind the name, without a pattern of the letters that are meant. */
const cases: Readonly<Record<string, (value: string) => string>> = {
	"^^": upper,
	U: upper,
	"^": ofFirst(upper),
	u: ofFirst(upper),
	",,": lower,
	L: lower,
	",": ofFirst(lower),
	"~~": swapped,
	"~": ofFirst(swapped),
};

function slice(value: string, operand: string): string | undefined {
	// `${x:?…}` only asks whether there is a value.
	if (operand.startsWith("?")) return value;
	const [, first, second] = range.exec(operand) ?? [];
	if (first === undefined) return undefined;
	const start = Number(first) < 0 ? value.length + Number(first) : Number(first);
	if (start < 0) return "";
	const length = second === undefined ? value.length : Number(second);
	return value.slice(start, length < 0 ? length : start + length);
}

function replaced(value: string, operator: string, operand: string): string | undefined {
	const [written = "", ...rest] = operand.split(/(?<!\\)\//);
	const pattern = sourceOf(written, { shortest: false });
	if (pattern === undefined || written === "") return written === "" ? value : undefined;
	const [start, end] = [operator === "/#" ? "^" : "", operator === "/%" ? "$" : ""];
	const wanted = new RegExp(`${start}${pattern}${end}`, operator === "//" ? "g" : "");
	// An ampersand stands for what was found, since bash 5.2.
	return value.replace(wanted, (found) => rest.join("/").replace(/\\(.)|&/gs, (_, plain) => plain ?? found));
}

/** A glob as a regular expression that takes linear time. */
function sourceOf(glob: string, { shortest }: { readonly shortest: boolean }): string | undefined {
	const parts = glob.match(/\\[\s\S]|[\s\S]/g) ?? [];
	const isPlain = !parts.some((part) => part === "[" || part === "(");
	if (glob.length > longestPattern || !isPlain || parts.filter((part) => part === "*").length > 1) return undefined;
	const source = parts.map((part) => {
		if (part === "*") return shortest ? "[\\s\\S]*?" : "[\\s\\S]*";
		if (part === "?") return "[\\s\\S]";
		return RegExp.escape(part.length > 1 ? part.slice(1) : part);
	});
	return source.join("");
}
