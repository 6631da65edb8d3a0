/** What the clipboard of the user's desktop holds: an image or text, read by whichever program of the desktop is there. */

/** What was found. */
export type ClipboardContent =
	| { readonly kind: "image"; readonly bytes: Uint8Array }
	| { readonly kind: "text"; readonly text: string }
	/** `why` says what to do. */
	| { readonly kind: "nothing"; readonly why: string };

/** Variables of the environment that say where the user is. */
export type ClipboardVariables = Readonly<Record<string, string | undefined>>;

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

/** Programs, which a clipboard may need a while to answer, are looked for in PATH of `variables`. */
export async function readClipboard(variables: ClipboardVariables): Promise<ClipboardContent> {
	const PATH = variables.PATH ?? "";
	const run: Run = async ([name = "", ...args]) => {
		const program = Bun.which(name, { PATH });
		return program === null ? undefined : await outputOf([program, ...args]);
	};
	const there = readers.filter(({ program }) => Bun.which(program, { PATH }) !== null);
	for (const { image } of there) {
		const bytes = await image(run);
		if (bytes !== undefined) return { kind: "image", bytes };
	}
	for (const { text } of there) {
		const said = text === undefined ? "" : textOf(await run(text));
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

/** A clipboard whose owner does not answer. */
const longestMs = 5_000;

async function outputOf(argv: string[]): Promise<Uint8Array | undefined> {
	const child = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "ignore", timeout: longestMs });
	const output = await new Response(child.stdout).bytes();
	return (await child.exited) === 0 && output.length > 0 ? output : undefined;
}
