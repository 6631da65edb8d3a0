/** What to do about the mistakes that scripts of models make most. */

import type { RanScript } from "../../rpc/run-script.ts";

interface Mistake {
	readonly sign: RegExp;
	hint(found: RegExpExecArray, ran: RanScript): string;
}

const mistakes: readonly Mistake[] = [
	{
		sign: /cannot import name '(\w+)' from 'hermes_tools'|module 'hermes_tools' has no attribute '(\w+)'|export named '(\w+)' not found/,
		hint: ([, ...names], ran) => `hermes_tools has no ${names.find(Boolean)}; it has ${importable(ran)}`,
	},
	{
		sign: /No module named '?hermes_tools'?|Cannot find (?:module|package) '?"?(?:\.\/)?hermes_tools/,
		hint: (_, ran) =>
			ran.offered.length === 0
				? "No tools can be called from scripts in this session: call them directly"
				: "The module is beside the script; start other programs with the same environment to import it there",
	},
	{
		sign: /No module named '([\w.]+)'/,
		hint: ([, name]) =>
			`${name} is not installed where the script runs; do without it, or install it there first (terminal: python3 -m pip install …)`,
	},
	{
		sign: /the JSON object must be str, bytes or bytearray, not dict|expected string or bytes-like object, got 'dict'/,
		hint: () => "Tools return dicts already: use the result as it is, without json.loads",
	},
	{
		sign: /KeyError: '(\w+)'/,
		hint: () =>
			'A tool that failed returns {"error": …} instead of its usual keys: print the result to see it, and check result.get("error")',
	},
	{
		sign: /NameError: name '(\w+)' is not defined/,
		hint: ([, name = ""], ran) =>
			[...ran.offered, "json_parse", "shell_quote", "retry"].includes(name)
				? `Import it: from hermes_tools import ${name}`
				: "Every script starts anew: nothing of an earlier one is defined",
	},
	{
		sign: /ReferenceError: (?:Can't find variable: )?(\w+)/,
		hint: ([, name = ""], ran) =>
			ran.offered.includes(name)
				? `Import it: import { ${name} } from "hermes_tools"`
				: 'The script ran as TypeScript; with Python on the machine, language: "python" runs Python',
	},
	{
		sign: /ToolLimitError/,
		hint: () => "Do more in one call (one terminal command, one search), or split the work over several scripts",
	},
];

/** One line, or undefined when nothing is known. */
export function hintFor(ran: RanScript): string | undefined {
	for (const { sign, hint } of mistakes) {
		const found = sign.exec(ran.errors);
		if (found !== null) return hint(found, ran);
	}
	return undefined;
}

function importable({ offered }: RanScript): string {
	return [...offered, "json_parse", "shell_quote", "retry", "ToolError", "ToolLimitError"].join(", ");
}
