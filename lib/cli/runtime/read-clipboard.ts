/** What the clipboard of the user's desktop holds: an image or text, read by whichever program of the desktop is there. */

import { attempt } from "../../base/attempt.ts";
import { ImageRefused } from "../../images/image-refused.ts";
import { childEnvironment } from "../../security/child-environment.ts";

/** What was found. */
export type ClipboardContent =
	| { readonly kind: "image"; readonly bytes: Uint8Array }
	| { readonly kind: "text"; readonly text: string }
	/** `why` says what to do. */
	| { readonly kind: "nothing"; readonly why: string };

/** Variables of the environment that say where the user is. */
export type ClipboardVariables = Readonly<Record<string, string>>;

/** What each program may take. */
export interface ClipboardLimits {
	/** Milliseconds: a clipboard asks the program from which was copied, which may not answer. */
	readonly longestMs: number;
	/** Of output. */
	readonly mostBytes: number;
}

/** Enough for a picture of 20 MB, also when it is written as hexadecimal digits. */
const usualLimits: ClipboardLimits = { longestMs: 5_000, mostBytes: 64 * 1024 * 1024 };

/** Characters of text; an editor of lines would be busy with more for minutes. */
const mostText = 2 * 1024 * 1024;

/** Runs a program; undefined when it fails, has nothing to say or is not there. */
type Run = (words: readonly string[]) => Promise<Uint8Array | undefined>;

/** A program that can read a clipboard. */
interface Reader {
	readonly program: string;
	image(run: Run): Promise<Uint8Array | undefined>;
	/** Its output is the text; missing when another program is there for that. */
	readonly text?: readonly string[];
}

/** Kinds of images that are asked for, the best first. */
const kinds = ["image/png", "image/jpeg", "image/webp", "image/gif"];

const xclip = ["xclip", "-selection", "clipboard", "-out"];
const powershell = ["powershell.exe", "-NoProfile", "-NonInteractive", "-STA", "-Command"];
const windowsImage = [
	"Add-Type -AssemblyName System.Windows.Forms,System.Drawing",
	"$image = [Windows.Forms.Clipboard]::GetImage()",
	"if ($image) { $bytes = New-Object IO.MemoryStream; $image.Save($bytes, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($bytes.ToArray()) }",
].join("; ");

/** For Wayland, X11, macOS with and without an own program, and Windows (also from WSL). */
const readers: readonly Reader[] = [
	{
		program: "wl-paste",
		image: (run) => ofKinds(run, ["wl-paste", "--list-types"], (kind) => ["wl-paste", "--no-newline", "--type", kind]),
		text: ["wl-paste", "--no-newline"],
	},
	{
		program: "xclip",
		image: (run) => ofKinds(run, [...xclip, "-target", "TARGETS"], (kind) => [...xclip, "-target", kind]),
		text: xclip,
	},
	{ program: "pngpaste", image: (run) => run(["pngpaste", "-"]) },
	{
		program: "osascript",
		// Prints «data PNGf89504E47…».
		image: async (run) => {
			const said = textOf(await run(["osascript", "-e", "the clipboard as «class PNGf»"]));
			const hex = /«data PNGf([0-9A-F]+)»/i.exec(said)?.[1];
			return hex === undefined ? undefined : Buffer.from(hex, "hex");
		},
		text: ["pbpaste"],
	},
	{
		program: "powershell.exe",
		image: async (run) => {
			const said = textOf(await run([...powershell, windowsImage])).trim();
			return said === "" ? undefined : Buffer.from(said, "base64");
		},
		text: [...powershell, "[Console]::OutputEncoding=[Text.Encoding]::UTF8; Get-Clipboard -Raw"],
	},
];

/**
 * Programs are looked for in PATH of `variables`, and get them without secrets.
 * @throws {ImageRefused} When one is above the limits, or there is more text than anybody types.
 */
export async function readClipboard(
	variables: ClipboardVariables,
	limits: ClipboardLimits = usualLimits,
): Promise<ClipboardContent> {
	const PATH = variables.PATH ?? "";
	const env = childEnvironment(variables, { mode: "patterns" });
	const run: Run = async ([name = "", ...args]) => {
		const program = Bun.which(name, { PATH });
		return program === null ? undefined : await outputOf([program, ...args], { ...limits, env });
	};
	const there = readers.filter(({ program }) => Bun.which(program, { PATH }) !== null);
	for (const { image } of there) {
		const bytes = await image(run);
		if (bytes !== undefined) return { kind: "image", bytes };
	}
	for (const { text } of there) {
		const said = text === undefined ? "" : textOf(await run(text));
		if (said.length > mostText) {
			throw new ImageRefused("the clipboard holds more than 2 MB of text: save it and say where it is");
		}
		if (said.trim() !== "") return { kind: "text", text: said };
	}
	return { kind: "nothing", why: reasonFor(there.length > 0, variables) };
}

function reasonFor(isReadable: boolean, { SSH_CONNECTION }: ClipboardVariables): string {
	if (isReadable) return "there is no picture in the clipboard";
	if (SSH_CONNECTION !== undefined)
		return "your clipboard is on another machine: copy the file here and say /image PATH";
	return "nothing here reads the clipboard: install wl-clipboard (Wayland) or xclip (X11), or say /image PATH";
}

/** The first of `kinds` that the list of what is there has. */
async function ofKinds(run: Run, list: readonly string[], read: (kind: string) => readonly string[]) {
	const offered = textOf(await run(list)).split(/\s+/);
	const kind = kinds.find((one) => offered.includes(one));
	return kind === undefined ? undefined : await run(read(kind));
}

function textOf(bytes: Uint8Array | undefined): string {
	return new TextDecoder().decode(bytes);
}

async function outputOf(
	argv: string[],
	{ env, longestMs, mostBytes }: ClipboardLimits & { readonly env: Record<string, string> },
): Promise<Uint8Array | undefined> {
	// The leader of a group, so that what it started ends with it.
	const child = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "ignore", detached: true, env });
	const reader = child.stdout.getReader();
	let isLate = false;
	const timer = setTimeout(() => {
		isLate = true;
		// Whoever still holds the pipe is not waited for.
		void reader.cancel();
		stop(child);
	}, longestMs);
	try {
		const output = await allOf(reader, mostBytes);
		const code = await child.exited;
		if (isLate) throw new ImageRefused("the clipboard does not answer: save the picture and say /image PATH");
		return code === 0 && output.length > 0 ? output : undefined;
	} finally {
		clearTimeout(timer);
		stop(child);
	}
}

async function allOf(reader: ClipboardOutput, mostBytes: number): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return Buffer.concat(chunks);
		length += value.length;
		if (length > mostBytes) throw new ImageRefused("the clipboard holds more than 20 MB: save it and say /image PATH");
		chunks.push(value);
	}
}

interface ClipboardOutput {
	read(): Promise<
		{ readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value?: unknown }
	>;
}

/** Nothing of it is left to end when it has ended. */
function stop(child: Bun.Subprocess): void {
	attempt(() => process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL"));
}
