/** The skins that are there without a file. */

import type { Skin } from "./skin.ts";

/** By name. `default` has the sixteen colours of the user's own terminal. */
export const builtInSkins: Readonly<Record<string, Skin>> = Object.fromEntries(
	[
		{ name: "default", description: "the colours of your terminal", colours: {} },
		{
			name: "mono",
			description: "no colours, bold and dim only",
			colours: {
				...{ ui_accent: "none", ui_ok: "none", ui_error: "none", ui_warn: "none" },
				...{ code_keyword: "none", code_text: "none", code_number: "none", code_name: "none" },
			},
		},
		{
			name: "slate",
			description: "cool greys and blues",
			colours: {
				...{ ui_accent: "#7eb8f6", ui_ok: "#63d0a6", ui_error: "#f7a072", ui_warn: "#e6a855", banner_dim: "#8b98a9" },
				...{ code_keyword: "#8ea8ff", code_text: "#63d0a6", code_number: "#e6a855", code_name: "#7eb8f6" },
			},
		},
		{
			name: "daylight",
			description: "dark colours for a light background",
			colours: {
				...{ ui_accent: "#1d4ed8", ui_ok: "#15803d", ui_error: "#b91c1c", ui_warn: "#a16207", banner_dim: "#64748b" },
				...{ code_keyword: "#7e22ce", code_text: "#15803d", code_number: "#a16207", code_name: "#1d4ed8" },
			},
		},
		{
			name: "ares",
			description: "crimson and bronze",
			colours: {
				...{ ui_accent: "#e0574f", ui_ok: "#6fbf73", ui_error: "#ff6b6b", ui_warn: "#d9a441", banner_dim: "#9b7c6f" },
				...{ code_keyword: "#e0574f", code_text: "#d9a441", code_number: "#f0b27a", code_name: "#e8967a" },
			},
			toolPrefix: "╎",
			promptSymbol: "⚔",
		},
		{
			name: "poseidon",
			description: "blues and greens of the sea",
			colours: {
				...{ ui_accent: "#4fb3d9", ui_ok: "#5fcfa8", ui_error: "#f28b82", ui_warn: "#e3c567", banner_dim: "#6f8fa3" },
				...{ code_keyword: "#6fa8ff", code_text: "#5fcfa8", code_number: "#9fe0e0", code_name: "#4fb3d9" },
			},
			promptSymbol: "Ψ",
		},
	].map((skin) => [skin.name, skin]),
);
