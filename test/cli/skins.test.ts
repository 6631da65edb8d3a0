/** Skins are data: what is right in a file counts, what is wrong is said, and nothing of it reaches the terminal as it is. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtInSkins } from "../../lib/cli/skins/built-in.ts";
import { loadSkin, skinNames } from "../../lib/cli/skins/load-skin.ts";
import { colourKeys, type Skin } from "../../lib/cli/skins/skin.ts";
import { colourShape, glyphShape } from "../../lib/cli/skins/skin-file.ts";
import { themeFor } from "../../lib/cli/terminal/theme.ts";
import { startChat } from "../support/chat-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(60_000);

function homeWith(skins: Readonly<Record<string, string>>) {
	const home = temporaryFolder();
	mkdirSync(join(home.path, "skins"));
	for (const [file, text] of Object.entries(skins)) writeFileSync(join(home.path, "skins", file), text);
	return home;
}

test("every built-in skin has colours and signs that a user's skin could have", () => {
	for (const [name, { colours, promptSymbol = "›", toolPrefix = "│" }] of Object.entries(builtInSkins)) {
		const wrong = Object.entries(colours).filter(([key, colour]) => {
			return !colourKeys.some((known) => known === key) || !colourShape.safeParse(colour).success;
		});
		const glyphs = [promptSymbol, toolPrefix].map((glyph) => glyphShape.safeParse(glyph).success);
		expect([name, wrong, glyphs]).toEqual([name, [], [true, true]]);
	}
});

test("loadSkin() takes what is right of a user's file, before a built-in skin of that name", async () => {
	using home = homeWith({
		"slate.yaml":
			"colors: {ui_accent: '#ABCDEF', ui_ok: bright_green, banner_border: '#112233'}\nspinner: {wings: []}\n",
		"../outside.yaml": "colors: {ui_accent: red}\n",
	});
	expect(await loadSkin(home.path, "slate")).toEqual({
		skin: { name: "slate", description: "", colours: { ui_accent: "#abcdef", ui_ok: "bright_green" } },
		warnings: [],
	});
	expect(skinNames(home.path)).toEqual(Object.keys(builtInSkins).sort());
});

test.each<{ what: string; text: string; colours: Skin["colours"]; warning: string }>([
	{
		what: "a value that is no colour",
		text: "colors: {ui_ok: salmon-ish, ui_error: red}",
		colours: { ui_error: "red" },
		warning: "colors.ui_ok",
	},
	{ what: "an escape sequence", text: 'colors: {ui_ok: "\\e[31m"}', colours: {}, warning: "colors.ui_ok" },
	{ what: "a sign that moves the cursor", text: 'tool_prefix: "\\e[2J"', colours: {}, warning: "tool_prefix" },
	{ what: "a sign that is too wide", text: "branding: {prompt_symbol: '日本'}", colours: {}, warning: "prompt_symbol" },
	{ what: "a sign that turns the text around", text: 'tool_prefix: "\\u202e|"', colours: {}, warning: "tool_prefix" },
	{ what: "broken YAML", text: "colors: {", colours: {}, warning: "Cannot use skin" },
	{ what: "a list", text: "- a\n", colours: {}, warning: "is no skin" },
	{ what: "colours that are no map", text: "colors: red", colours: {}, warning: "is no skin" },
	{ what: "more than a skin", text: `description: ${"x".repeat(70_000)}`, colours: {}, warning: "is larger than" },
])("loadSkin() warns of $what and leaves it out", async ({ text, colours, warning }) => {
	using home = homeWith({ "mine.yaml": text });
	const { skin, warnings } = await loadSkin(home.path, "mine");
	expect(skin.colours).toEqual(colours);
	expect([skin.promptSymbol, skin.toolPrefix]).toEqual([undefined, undefined]);
	expect(warnings).toEqual([expect.stringContaining(warning)]);
});

test.each(["slat", "../outside", "", "Slate", "nothing"])(
	"loadSkin() makes the default of %p, and says so",
	async (name) => {
		using home = homeWith({});
		const { skin, warnings } = await loadSkin(home.path, name);
		expect(skin).toEqual({ name: "default", description: "", colours: {} });
		expect(warnings).toEqual([expect.stringContaining(`Cannot use skin "${name}": unknown`)]);
	},
);

test("a theme wears colours as its terminal can show them, and none with NO_COLOR", () => {
	const skin = { colours: { ui_accent: "#ff0000", ui_ok: "none", ui_error: "bright_red" }, promptSymbol: "$" };
	const theme = themeFor({ noColor: false });
	theme.wear(skin, { has24Bits: true });
	expect([theme.accent("a"), theme.good("b"), theme.bad("c"), theme.warning("d")]).toEqual([
		"\u001b[38;2;255;0;0ma\u001b[39m",
		"b",
		"\u001b[91mc\u001b[39m",
		"\u001b[33md\u001b[39m",
	]);
	theme.wear(skin, { has24Bits: false });
	expect(theme.accent("a")).toBe("\u001b[38;5;196ma\u001b[39m");
	expect(theme.symbols).toEqual({ prompt: "$", bar: "│" });
	const plain = themeFor({ noColor: true });
	plain.wear(skin, { has24Bits: true });
	expect([plain.accent("a"), plain.bad("c"), plain.symbols.prompt]).toEqual(["a", "c", "$"]);
});

test("a chat wears the skin of the settings, and /skin changes what is drawn from then on, for later chats too", async () => {
	await using scene = await startChat({
		answers: [{ text: "one" }, { text: "two" }],
		files: {
			".hermes/config.yaml": "display:\n  skin: night\n",
			".hermes/skins/night.yaml": "colors: {ui_accent: '#010203'}\nbranding: {prompt_symbol: '❯ '}\n",
		},
		env: { COLORTERM: "truecolor" },
	});
	const { hermes, home } = scene;
	hermes.type("first\r");
	await hermes.shows("❯ first");
	await hermes.shows("one");
	expect(hermes.raw()).toContain("\u001b[38;2;1;2;3m");
	hermes.type("/skin poseidon\r");
	await hermes.shows("Skin poseidon from now on");
	hermes.type("second\r");
	await hermes.shows("Ψ second");
	expect(readFileSync(join(home, ".hermes/config.yaml"), "utf8")).toContain("skin: poseidon");
});
