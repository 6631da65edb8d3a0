/** Keys by their names, as the bytes that a terminal sends for them. */

const named: Readonly<Record<string, string>> = {
	enter: "\r",
	return: "\r",
	tab: "\t",
	"shift-tab": "\x1b[Z",
	escape: "\x1b",
	esc: "\x1b",
	space: " ",
	backspace: "\x7f",
	delete: "\x1b[3~",
	insert: "\x1b[2~",
	pageup: "\x1b[5~",
	pagedown: "\x1b[6~",
	f1: "\x1bOP",
	f2: "\x1bOQ",
	f3: "\x1bOR",
	f4: "\x1bOS",
	f5: "\x1b[15~",
	f6: "\x1b[17~",
	f7: "\x1b[18~",
	f8: "\x1b[19~",
	f9: "\x1b[20~",
	f10: "\x1b[21~",
	f11: "\x1b[23~",
	f12: "\x1b[24~",
};

/** These depend on what the program has asked for. */
const moving: Readonly<Record<string, string>> = { up: "A", down: "B", right: "C", left: "D", home: "H", end: "F" };

/** Modifiers of moving keys. */
const modifiers: Readonly<Record<string, number>> = { shift: 2, alt: 3, ctrl: 5 };

/** What a list of keys comes to. */
export type Typed = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** Names of keys in angle brackets (`<ctrl-c>`, `<up>`, `<alt-x>`), anything else as it is written. */
export function typedKeys(keys: readonly string[], usesApplicationKeys: boolean): Typed {
	let text = "";
	for (const key of keys) {
		const [, name] = /^<([a-z0-9][\w^@[\]\\-]*)>$/i.exec(key) ?? [];
		const sent = name === undefined ? key : keyNamed(name.toLowerCase(), usesApplicationKeys);
		if (sent === undefined) return { ok: false, why: `there is no key "${key}"; ${keyAdvice}` };
		text += sent;
	}
	return { ok: true, text };
}

const keyAdvice = `names are ${[...Object.keys(named), ...Object.keys(moving)].map((name) => `<${name}>`).join(" ")}, <ctrl-c>, <alt-x>`;

function keyNamed(name: string, usesApplicationKeys: boolean): string | undefined {
	if (Object.hasOwn(named, name)) return named[name];
	if (Object.hasOwn(moving, name)) return `\x1b${usesApplicationKeys ? "O" : "["}${moving[name]}`;
	const [, modifier = "", rest = ""] = /^(ctrl|alt|shift|c|m)-(.+)$/.exec(name) ?? [];
	const long = { c: "ctrl", m: "alt" }[modifier] ?? modifier;
	if (Object.hasOwn(moving, rest)) return `\x1b[1;${modifiers[long]}${moving[rest]}`;
	if (long === "alt") return rest.length === 1 ? `\x1b${rest}` : prefixed(keyNamed(rest, usesApplicationKeys));
	return long === "ctrl" ? controlKey(rest) : undefined;
}

function prefixed(sent: string | undefined): string | undefined {
	return sent === undefined ? undefined : `\x1b${sent}`;
}

function controlKey(letter: string): string | undefined {
	if (letter === "space") return "\0";
	return /^[a-z@[\\\]^_]$/.test(letter) ? String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 0x1f) : undefined;
}
