/** Which program a simple command really runs: assignments, reserved words and wrappers such as `sudo` are looked through. */

import { unknownMark } from "./fields.ts";
import { NestedTooDeep } from "./syntax.ts";

/** A program by its basename, lower case, and its arguments; `assignments` stand before it. */
export interface Program {
	readonly name: string;
	readonly args: readonly string[];
	/** More arguments come from standard input. */
	readonly readsArguments: boolean;
	/** Shell text that a wrapper runs itself (`env -S`, `watch`). */
	readonly script?: string;
	/** Where a wrapper starts it (`env -C`). */
	readonly folder?: string;
	/** The wrappers around it, the outermost first, each with what stands between its name and the next. */
	readonly through: readonly Wrapping[];
}

/** One wrapper, as it was written. */
export interface Wrapping {
	readonly name: string;
	readonly options: readonly string[];
}

interface Wrapper {
	/** Options whose value is the next field, short ones as single letters. */
	readonly valued?: string;
	/** Fields between the options and the wrapped command. */
	readonly positional?: number;
	readonly assignments?: true;
	/** The option that says where the command starts, short and long. */
	readonly folder?: readonly [short: string, long: string];
}

const reserved = new Set(["if", "then", "elif", "else", "while", "until", "do", "{", "}", "!", "coproc", "--"]);
const assignment = /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/;

const wrappers: Readonly<Record<string, Wrapper>> = {
	sudo: {
		valued: "ughpCRrtTUDc user group host prompt chdir chroot role type",
		assignments: true,
		folder: ["-D", "--chdir"],
	},
	doas: { valued: "uC", assignments: true },
	pkexec: { valued: "user" },
	env: { valued: "uCS unset chdir split-string", assignments: true, folder: ["-C", "--chdir"] },
	nice: { valued: "n adjustment" },
	ionice: { valued: "cnpPu class classdata" },
	timeout: { valued: "ks kill-after signal", positional: 1 },
	xargs: { valued: "IdnPLsEa max-args max-procs delimiter arg-file max-lines replace" },
	busybox: {},
	toybox: {},
	command: {},
	builtin: {},
	nohup: {},
	exec: { valued: "a" },
	setsid: {},
	time: { valued: "fo format output" },
	stdbuf: { valued: "ioe input output error" },
	chroot: { positional: 1 },
	flock: { valued: "wE timeout", positional: 1 },
	taskset: { positional: 1 },
	chrt: { positional: 1 },
	unshare: {},
	strace: { valued: "eopsP" },
	"systemd-run": { valued: "pu property unit" },
	"systemd-inhibit": {},
	watch: { valued: "nq interval equexit" },
	runuser: { valued: "ugG user group supp-group" },
	setpriv: { valued: " pdeathsig reuid regid ruid euid groups inh-caps ambient-caps bounding-set securebits" },
	prlimit: { valued: "p pid" },
	nsenter: { valued: "tSG target setuid setgid" },
	numactl: { valued: "NmipCP cpunodebind membind interleave preferred physcpubind" },
	ltrace: { valued: "aAeFlnopsuwx" },
	setarch: { positional: 1 },
	linux32: {},
	linux64: {},
	catchsegv: {},
	gosu: { positional: 1 },
	"su-exec": { positional: 1 },
	fakeroot: { valued: "lsibf lib faked" },
	"dbus-run-session": { valued: " config-file dbus-daemon" },
	"xvfb-run": { valued: "efnpsw" },
	caffeinate: { valued: "tw" },
	eatmydata: {},
	unbuffer: {},
	firejail: {},
	torsocks: {},
	proxychains: { valued: "f" },
	proxychains4: { valued: "f" },
	run0: { valued: "ugDE user group chdir setenv unit property" },
	sshpass: { valued: "pfdP" },
	parallel: { valued: "jaIdSnNL jobs arg-file delimiter" },
	tini: { valued: "pe" },
	"dumb-init": { valued: "r rewrite" },
};

const noProgram: Program = { name: "", args: [], readsArguments: false, through: [] };

const mostWrappers = 30;
/** Wrappers that add what they read to the arguments. */
const argumentReaders = new Set(["xargs", "parallel"]);

/**
 * The program behind `fields`; its name is empty when there is none.
 *
 * @throws {NestedTooDeep} When more than 30 wrappers stand before it.
 */
export function programOf(fields: readonly string[]): Program {
	let rest = fields;
	let readsArguments = false;
	let folder: string | undefined;
	const through: Wrapping[] = [];
	for (let round = 0; rest.length > 0; round++) {
		if (round > mostWrappers) throw new NestedTooDeep("Cannot read the command: wrappers around wrappers");
		rest = afterReserved(rest);
		const name = baseName(rest[0] ?? "");
		const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
		const final = wrapper === undefined ? { name, args: rest.slice(1) } : notWrapping(name, rest);
		if (wrapper === undefined || final !== undefined) {
			return { ...noProgram, ...final, readsArguments, through, ...inFolder(folder) };
		}
		folder = folderOf(wrapper, rest) ?? folder;
		readsArguments ||= argumentReaders.has(name);
		const after = afterWrapper(wrapper, rest.slice(1));
		through.push({ name, options: rest.slice(1, rest.length - after.length) });
		rest = after;
	}
	return { ...noProgram, readsArguments, through };
}

function inFolder(folder: string | undefined): Pick<Program, "folder"> {
	return folder === undefined ? {} : { folder };
}

/** What a wrapper does instead of running the fields after it; undefined when it runs them. */
function notWrapping(name: string, fields: readonly string[]): Partial<Program> | undefined {
	if (name === "command" && /^-[pvV]*[vV]/.test(fields[1] ?? "")) return {};
	if (name === "watch") return { script: afterWrapper(wrappers.watch ?? {}, fields.slice(1)).join(" ") };
	// With -c they are shells.
	const isShell = (name === "flock" || name === "runuser") && fields.some((field) => /^(-c$|--command)/.test(field));
	if (isShell) return { name, args: fields.slice(1) };
	const script = name === "env" ? splitString(fields) : undefined;
	return script === undefined ? undefined : { script };
}

const declaring = new Set(["export", "local", "declare", "typeset", "readonly"]);

/** The variables that stand before the program, and what they are set to. */
export function assignmentsOf(fields: readonly string[]): [name: string, value: string][] {
	const found: [string, string][] = [];
	for (const field of fields) {
		if (assignment.test(field)) {
			const equals = field.indexOf("=");
			found.push([field.slice(0, equals).replace(/\+$/, ""), field.slice(equals + 1)]);
		} else if (!reserved.has(field) && !declaring.has(field) && !field.startsWith("-")) break;
	}
	return found;
}

function baseName(field: string): string {
	return (field.split("/").at(-1) ?? "").toLowerCase();
}

function afterReserved(fields: readonly string[]): readonly string[] {
	let at = 0;
	while (at < fields.length) {
		const field = fields[at] ?? "";
		if (field === "function") at += 2;
		else if (reserved.has(field) || assignment.test(field)) at++;
		else break;
	}
	return fields.slice(at);
}

function afterWrapper(wrapper: Wrapper, fields: readonly string[]): readonly string[] {
	const [short = "", ...long] = (wrapper.valued ?? "").split(" ");
	let at = 0;
	for (let field = fields[at]; field !== undefined; field = fields[at]) {
		const isAssignment = wrapper.assignments === true && assignment.test(field);
		if (!isAssignment && !field.startsWith("-")) break;
		at += takesValue(field, short, long) ? 2 : 1;
		if (field === "--") break;
	}
	return fields.slice(at + (wrapper.positional ?? 0));
}

function folderOf({ folder }: Wrapper, fields: readonly string[]): string | undefined {
	if (folder === undefined) return undefined;
	const [short, long] = folder;
	const at = fields.findIndex((field) => field === short || field.split("=", 1)[0] === long);
	const field = fields[at] ?? "";
	return field.includes("=") ? field.slice(field.indexOf("=") + 1) : fields[at + 1 || fields.length];
}

function takesValue(option: string, short: string, long: readonly string[]): boolean {
	if (!option.startsWith("-")) return false;
	if (option.startsWith("--")) return long.includes(option.slice(2));
	// In `-n5` the value is in the option itself; in `-n 5` and `-En 5` it follows.
	const valuedAt = [...option.slice(1)].findIndex((letter) => short.includes(letter));
	return valuedAt >= 0 && valuedAt === option.length - 2;
}

function splitString(fields: readonly string[]): string | undefined {
	const at = fields.findIndex((field) => /^(-[a-zA-Z]*S|--split-string)/.test(field));
	if (at < 0) return undefined;
	const own = (fields[at] ?? "").replace(/^(-[a-zA-Z]*?S|--split-string=?)/, "");
	return [own, ...fields.slice(at + 1)].join(" ").replaceAll(unknownMark, "");
}
