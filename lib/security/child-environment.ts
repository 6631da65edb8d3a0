/** The environment of child processes: ours without the secrets that a command of the model must not read. */

import { isSecretName, knownVariables } from "../config/variable-names.ts";
import { hasSecretWord, isNeeded } from "./environment-names.ts";

/** Names that never reach a child. Cloud credential chains such as AWS_ACCESS_KEY_ID stay: the user's own tools need them. */
const secretNames: ReadonlySet<string> = new Set([
	...["OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_ORG_ID", "OPENAI_ORGANIZATION", "LLM_MODEL"],
	...["OPENROUTER_BASE_URL", "ANTHROPIC_BASE_URL", "ANTHROPIC_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
	...["GOOGLE_BASE_URL", "GEMINI_BASE_URL", "DEEPSEEK_BASE_URL", "MISTRAL_BASE_URL", "GROQ_BASE_URL"],
	...["TOGETHER_BASE_URL", "FIREWORKS_BASE_URL", "XAI_BASE_URL", "HELICONE_BASE_URL", "FIRECRAWL_API_URL"],
	...["GH_TOKEN", "GITHUB_TOKEN", "COPILOT_GITHUB_TOKEN", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"],
	...["GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY_PATH", "GITHUB_APP_INSTALLATION_ID"],
	...["MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET", "AWS_BEARER_TOKEN_BEDROCK", "HASS_TOKEN", "HASS_URL"],
	...["SUDO_PASSWORD", "GATEWAY_ALLOWED_USERS", "TOOL_GATEWAY_USER_TOKEN"],
]);

/** Of services too, though their names do not say so. */
const serviceNames: ReadonlySet<string> = new Set([
	...["SEARXNG_URL", "CAMOFOX_URL", "BROWSERBASE_PROJECT_ID", "GATEWAY_PROXY_URL", "GATEWAY_ALLOW_ALL_USERS"],
]);

/** Whole families: service keys, mail and chat accounts, our own secrets, and what steers the runtime of our own binary. */
const secretFamilies: readonly RegExp[] = [
	/(?:^|_)API_?KEYS?$/i,
	/^EMAIL_/,
	/^(?:TELEGRAM|DISCORD|SLACK|WHATSAPP|SIGNAL|MATRIX|MATTERMOST|TWILIO|DINGTALK|FEISHU|WECOM|BLUEBUBBLES|LINE|TEAMS)_/,
	/^HERMES_.*(?:TOKEN|SECRET|PASSWORD|KEY)$/,
	/^BUN_/,
	/^NODE_PATH$/,
];

/** Folders every PATH ends up with; a service manager or an editor often starts us with less. */
const usualPath = [
	...["/opt/homebrew/bin", "/opt/homebrew/sbin", "/usr/local/sbin", "/usr/local/bin"],
	...["/usr/sbin", "/usr/bin", "/sbin", "/bin"],
];

/**
 * Which variables children see: all but the secrets of ours; all but what looks like anybody's secret (`MY_DB_PASSWORD`); or only
 * what programs need.
 */
export type EnvironmentMode = "blocklist" | "patterns" | "allowlist";

/** How an environment is sifted. */
export interface ChildOptions {
	/** Names that may be seen although they would be kept back; our own and those of providers never are. */
	readonly passed?: readonly string[];
	/** `blocklist` when left out. */
	readonly mode?: EnvironmentMode;
}

/** `variables` as a child may see them: no secrets, nothing that steers our own runtime, a complete PATH. */
export function childEnvironment(
	variables: Readonly<Record<string, string>>,
	{ passed = [], mode = "blocklist" }: ChildOptions = {},
): Record<string, string> {
	const wanted = new Set(passed.filter((name) => !isOwnSecret(name)));
	const kept = Object.entries(variables).filter(
		([name]) => wanted.has(name) || (!isSecret(name) && passes[mode](name)),
	);
	return { ...Object.fromEntries(kept), PATH: completePath(variables.PATH ?? "") };
}

const passes: Readonly<Record<EnvironmentMode, (name: string) => boolean>> = {
	blocklist: () => true,
	patterns: (name) => !isSecretName(name) && !hasSecretWord(name),
	allowlist: (name) => isNeeded(name, { withProject: true }),
};

/** Names that no setting can hand to a child: what is ours, what steers our runtime, and the credentials of services we call. */
export function isOwnSecret(name: string): boolean {
	if (/^(?:HERMES_|BUN_|NODE_PATH$)/.test(name) || secretNames.has(name) || isService(name)) return true;
	return knownVariables.has(name) && (isSecretName(name) || /KEY|TOKEN|SECRET|PASSWORD/.test(name));
}

/** Whether a variable of this name is kept from children. */
export function isSecret(name: string): boolean {
	return secretNames.has(name) || isService(name) || secretFamilies.some((family) => family.test(name));
}

/** Keys and addresses of services that we call ourselves; the cloud and ssh settings of the user are none. */
function isService(name: string): boolean {
	if (!knownVariables.has(name) || /^(?:AWS|TERMINAL|HERMES)_/.test(name)) return false;
	return /_(?:BASE_URL|API_URL|GATEWAY_URL|KEY|SECRET|TOKEN|PASSWORD)$/.test(name) || serviceNames.has(name);
}

/** `path` without empty and repeated entries, then the usual folders that it lacks. */
export function completePath(path: string): string {
	return [...new Set([...path.split(":"), ...usualPath])].filter((folder) => folder !== "").join(":");
}
