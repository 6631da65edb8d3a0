/** Passwords where programs are given them without a name that says so: `curl -u me:…`, `sshpass -p …`, a netrc file. */

/** How some programs take a password. */
interface LoginRule {
	/** What stands before the flag, in the same command. */
	readonly program: RegExp;
	/** Everything up to the password; what follows is the password, quoted like the flag's value. */
	readonly flag: RegExp;
}

const rules: readonly LoginRule[] = [
	{
		program: /(?<![\w-])curl(?![\w-])/,
		flag: /[ \t](?:-[A-Za-z]{0,8}[uU]|--(?:proxy-)?user)[ \t=]{0,4}(?:(["'])[^:"'\n]{0,256}|[^\s:"'$]{0,256}):/g,
	},
	{
		program: /(?<![\w-])(?:sshpass|(?:docker|podman|nerdctl|buildah|skopeo|helm|oc|az)[ \t][^|;&]{0,64}login)(?![\w-])/,
		flag: /[ \t]-p[ \t=]{0,4}(["']?)/g,
	},
	{
		// A blank behind the flag means that it asks.
		program: /(?<![\w-])(?:mysql(?:dump|admin|import)?|mariadb(?:-dump|-admin)?)(?![\w-])/,
		flag: /[ \t]-p(["']?)(?=\S)/g,
	},
];

/** Characters before a flag in which its program is looked for. */
const longestCommand = 500;

const blank = String.raw`\s{1,16}(?:\d{1,6}\|\s{0,8})?`;
/** `machine example.org login me password …`, in one line or several, which may be numbered. */
const netrc = new RegExp(
	String.raw`(?<![\w-])((?:machine${blank}\S{1,253}|default)${blank}(?:(?:login|account)${blank}\S{1,256}${blank}){1,2}password${blank})(\S{1,1024})(?=[ \t]{0,16}(?:\n|\r|$)|\s{1,16}(?:machine|default|account|macdef)\s)`,
	"g",
);

/** `text` with `mask` of each such password in its place. Takes time linear in the length of `text`. */
export function maskLogins(text: string, mask: (password: string) => string): string {
	let clean = text.includes("password")
		? text.replace(netrc, (_, head: string, password: string) => head + mask(password))
		: text;
	for (const rule of rules) clean = maskFlags(clean, rule, mask);
	return clean;
}

function maskFlags(text: string, { program, flag }: LoginRule, mask: (password: string) => string): string {
	if (!program.test(text)) return text;
	let clean = "";
	let position = 0;
	for (const found of text.matchAll(flag)) {
		const start = found.index + found[0].length;
		if (found.index < position || !program.test(commandBefore(text, found.index))) continue;
		const password = passwordAt(text, start, found[1]);
		if (password === "" || password.startsWith("$")) continue;
		clean += text.slice(position, start) + mask(password);
		position = start + password.length;
	}
	return position === 0 ? text : clean + text.slice(position);
}

/** What of the command stands before `index`; a line that ends with a backslash goes on. */
function commandBefore(text: string, index: number): string {
	const before = text.slice(Math.max(0, index - longestCommand), index).replaceAll("\\\n", "  ");
	return before.split(/\n|[;|&]\s/).at(-1) ?? "";
}

const inDoubleQuotes = /[^"\n]{0,1024}/y;
const inSingleQuotes = /[^'\n]{0,1024}/y;
const bare = /[^\s"'|;&]{0,1024}/y;

function passwordAt(text: string, start: number, quote = ""): string {
	const quoted = quote === '"' ? inDoubleQuotes : inSingleQuotes;
	const pattern = quote === "" ? bare : quoted;
	pattern.lastIndex = start;
	return pattern.exec(text)?.[0] ?? "";
}
