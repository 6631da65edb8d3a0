/** What text that lives long (notes, skills, context files) must not hold: one row for each kind of attack. */

/** Where text goes: `all` is any text, `context` is read into a prompt, `strict` is written by the model and read in every session. */
export type ThreatScope = "all" | "context" | "strict";

/** One kind of attack. Every expression is linear: no nested repetition, and gaps are bounded. */
export interface ThreatPattern {
	readonly id: string;
	/** What was found, in words for a person. */
	readonly what: string;
	/** The mildest scope that already looks for it. */
	readonly from: ThreatScope;
	readonly expression: RegExp;
}

const rows: readonly (readonly [ThreatScope, id: string, what: string, RegExp])[] = [
	[
		"all",
		"ignore_instructions",
		"it tells the reader to ignore earlier instructions",
		/\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|any|existing|system)\b[^.\n]{0,30}\b(?:instructions?|rules?|prompts?|guidelines?|directives?)\b/i,
	],
	[
		"all",
		"hide_from_user",
		"it asks to hide something from the user",
		/\b(?:do not|don't|never|without)\b[^.\n]{0,20}\b(?:tell|inform|mention(?:ing)?|reveal|show|notify|telling|informing)\b[^.\n]{0,20}\b(?:the )?user\b/i,
	],
	[
		"all",
		"new_system_prompt",
		"it poses as a system prompt",
		/(?:<\|?(?:im_start|system|sys)\|?>|\[\/?INST\]|^\s*#{0,3}\s*(?:new )?system (?:prompt|message|instructions?)\s*:|\bsystem prompt override\b)/im,
	],
	[
		"all",
		"hidden_html",
		"it hides text in HTML",
		/<(?:div|span|p|section)[^>]{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0)/i,
	],
	[
		"all",
		"instruction_in_comment",
		"an HTML comment holds instructions",
		/<!--[^>]{0,200}\b(?:ignore|system|assistant|instruction|secret|execute)\b[^>]{0,200}-->/i,
	],
	[
		"context",
		"role_hijack",
		"it gives the reader another role",
		/\b(?:you are now (?:an?|the|called)\b|from now on,? you are\b|pretend (?:to be|you are)|act as (?:if you (?:have|had) no|an? (?:unrestricted|uncensored|jailbroken))|enter (?:developer|dan|god) mode|no restrictions? apply)\b/i,
	],
	[
		"context",
		"reveal_prompt",
		"it asks for the system prompt",
		/\b(?:reveal|print|output|repeat|leak|show|translate)\b[^.\n]{0,25}\b(?:your|the) (?:system prompt|hidden instructions|initial prompt)\b/i,
	],
	[
		"context",
		"exfiltrate_secret",
		"it sends secrets to a server",
		/\b(?:curl|wget|nc|ncat|fetch|http(?:ie)?)\b[^\n]{0,200}(?:\$\{?[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)\b|\.env\b|id_rsa|id_ed25519|\.aws\/credentials|\.netrc)/,
	],
	[
		"context",
		"read_secret",
		"it reads files that hold secrets",
		/\b(?:cat|less|head|tail|base64|xxd|strings)\s[^\n|;&]{0,80}(?:\.env\b|id_rsa|id_ed25519|\.aws\/credentials|\.netrc|\.pgpass|\/etc\/shadow|auth\.json)/,
	],
	[
		"context",
		"remote_script",
		"it runs a script from the network",
		/\b(?:curl|wget)\b[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b/,
	],
	[
		"context",
		"command_and_control",
		"it sets up remote control",
		/\b(?:reverse shell|bind shell|beacon(?:ing)? to|c2 (?:server|channel|endpoint)|command[- ]and[- ]control|\/dev\/tcp\/)/i,
	],
	[
		"strict",
		"ssh_persistence",
		"it changes who may log in",
		/(?:>>?|\btee\b[^\n]{0,40}|\bcp\b[^\n]{0,80}|\bln\b[^\n]{0,80})\s*\S{0,80}(?:authorized_keys|\.ssh\/config)/,
	],
	[
		"strict",
		"shell_persistence",
		"it changes what a login runs",
		/(?:>>?|\btee\b[^\n]{0,40})\s*\S{0,80}(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|\.zprofile|\/etc\/cron|systemd\/(?:user|system)\/)|\bcrontab\s+-(?!l\b)/,
	],
	[
		"strict",
		"agent_persistence",
		"it changes the instructions of agents",
		/(?:>>?|\b(?:write|append|add|insert|save)\b[^\n]{0,60}\b(?:to|into|in))\s*\S{0,80}(?:AGENTS\.md|CLAUDE\.md|SOUL\.md|\.cursorrules|\.hermes\/config\.yaml|\.hermes\/\.env)/i,
	],
	[
		"strict",
		"hard_coded_secret",
		"it holds a secret",
		/\b(?:api[_-]?key|token|secret|password|passwd)\b\s*[:=]\s*["']?[A-Za-z0-9+/_-]{24,}/i,
	],
	["strict", "private_key", "it holds a private key", /-----BEGIN (?:[A-Z]{2,12} )?PRIVATE KEY-----/],
];

/** In the order in which they are reported. */
export const threatPatterns: readonly ThreatPattern[] = rows.map(([from, id, what, expression]) => ({
	id,
	what,
	from,
	expression,
}));

/** Characters that a person does not see and a model reads: zero width, direction marks, invisible operators. */
export const invisibleCharacters: ReadonlySet<number> = new Set([
	...[0x00_ad, 0x20_0b, 0x20_0c, 0x20_0d, 0x20_0e, 0x20_0f, 0x20_2a, 0x20_2b, 0x20_2c, 0x20_2d, 0x20_2e],
	...[0x20_60, 0x20_61, 0x20_62, 0x20_63, 0x20_64, 0x20_66, 0x20_67, 0x20_68, 0x20_69, 0xfe_ff],
]);

/** First and last of the tag characters: a whole hidden alphabet. */
export const tagCharacters = { first: 0xe_00_00, last: 0xe_00_7f } as const;
