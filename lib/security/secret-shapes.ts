/** Credentials that can be told by their shape alone. Every pattern starts at a word's edge, so that scanning stays linear. */

const prefixes = [
	"sk-",
	"sk_",
	"ghp_",
	"github_pat_",
	"gho_",
	"ghu_",
	"ghs_",
	"ghr_",
	"glpat-",
	"xox[abeoprs]-",
	"xapp-",
	"pplx-",
	"fal_",
	"fc-",
	"bb_live_",
	"sk_live_",
	"sk_test_",
	"rk_live_",
	"rk_test_",
	"whsec_",
	"SG\\.",
	"hf_",
	"r8_",
	"npm_",
	"pypi-",
	"dop_v1_",
	"doo_v1_",
	"am_",
	"tvly-",
	"exa_",
	"gsk_",
	"syt_",
	"retaindb_",
	"hsk-",
	"mem0_",
	"brv_",
	"ntn_",
	"nvapi-",
	"dtn_",
	"lin_api_",
];

/** A shape and the text that must occur before it is worth looking for it. */
export interface SecretShape {
	readonly hints: readonly string[];
	readonly pattern: RegExp;
}

/** Tokens that carry their maker's prefix. The whole match is the secret. */
export const tokenShapes: readonly SecretShape[] = [
	{
		hints: ["-", "_", "SG."],
		pattern: new RegExp(`(?<![A-Za-z0-9_-])(?:${prefixes.join("|")})[A-Za-z0-9_-][A-Za-z0-9_.-]{8,}[A-Za-z0-9_-]`, "g"),
	},
	{ hints: ["AIza"], pattern: /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{30,}/g },
	{ hints: ["gAAAA"], pattern: /(?<![A-Za-z0-9_-])gAAAA[A-Za-z0-9_=-]{20,}/g },
	{ hints: ["xai-"], pattern: /(?<![A-Za-z0-9_-])xai-[A-Za-z0-9_-]{30,}/g },
	{ hints: ["AKIA", "ASIA"], pattern: /(?<![A-Za-z0-9_-])A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9_-])/g },
	{ hints: ["eyJ"], pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_=-]+){1,4}/g },
	// Telegram bots: the digits of the bot, a colon, the secret.
	{ hints: [":"], pattern: /(?<![A-Za-z0-9_-])\d{8,12}:[A-Za-z0-9_-]{30,}/g },
	{ hints: ["hooks.slack.com"], pattern: /(?<=hooks\.slack\.com\/)(?:services|workflows)\/[A-Za-z0-9/_-]+/g },
	{ hints: ["/webhooks/"], pattern: /(?<=\/webhooks\/)\d{15,20}\/[A-Za-z0-9_-]{20,}/g },
];
