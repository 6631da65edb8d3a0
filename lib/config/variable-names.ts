/** Names of environment variables: which are known, which hold secrets, and which a configuration may never set. */

import { keyTable } from "./schema/table.ts";

const providers = `OPENROUTER OPENAI ANTHROPIC GOOGLE GEMINI XAI NVIDIA LM GLM ZAI Z_AI KIMI KIMI_CN STEPFUN ARCEEAI GMI
	MINIMAX MINIMAX_CN DEEPSEEK DASHSCOPE OPENCODE_ZEN OPENCODE_GO KILOCODE AI_GATEWAY OLLAMA XIAOMI AZURE_FOUNDRY
	MISTRAL GROQ NOUS HUGGINGFACE KIMI_CODING MOONSHOT CODEX AZURE_OPENAI BEDROCK HF CUSTOM`;
const others = `ANTHROPIC_TOKEN CLAUDE_CODE_OAUTH_TOKEN HF_TOKEN AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
	AWS_BEARER_TOKEN_BEDROCK AWS_REGION AWS_PROFILE EXA_API_KEY PARALLEL_API_KEY FIRECRAWL_API_KEY FIRECRAWL_API_URL
	TAVILY_API_KEY TAVILY_BASE_URL EXA_BASE_URL PARALLEL_BASE_URL
	SEARXNG_URL BRAVE_SEARCH_API_KEY BRAVE_API_KEY BRAVE_SEARCH_BASE_URL BROWSERBASE_API_KEY BROWSERBASE_PROJECT_ID BROWSER_USE_API_KEY
	CAMOFOX_URL FAL_KEY VOICE_TOOLS_OPENAI_KEY ELEVENLABS_API_KEY GITHUB_TOKEN GH_TOKEN HONCHO_API_KEY SUDO_PASSWORD
	TINKER_API_KEY WANDB_API_KEY DAYTONA_API_KEY MODAL_TOKEN_ID MODAL_TOKEN_SECRET MODAL_GATEWAY_URL
	TOOL_GATEWAY_DOMAIN TOOL_GATEWAY_SCHEME TOOL_GATEWAY_USER_TOKEN HERMES_YOLO_MODE GATEWAY_PROXY_URL
	GATEWAY_PROXY_KEY MESSAGING_CWD TELEGRAM_BOT_TOKEN TELEGRAM_ALLOWED_USERS TELEGRAM_HOME_CHANNEL DISCORD_BOT_TOKEN
	DISCORD_ALLOWED_USERS DISCORD_HOME_CHANNEL SLACK_BOT_TOKEN SLACK_APP_TOKEN SLACK_ALLOWED_USERS WHATSAPP_ENABLED
	SIGNAL_HTTP_URL SIGNAL_ACCOUNT MATRIX_ACCESS_TOKEN MATRIX_HOMESERVER MATTERMOST_TOKEN MATTERMOST_URL HASS_TOKEN
	HASS_URL EMAIL_ADDRESS EMAIL_PASSWORD TWILIO_ACCOUNT_SID TWILIO_AUTH_TOKEN GATEWAY_ALLOWED_USERS
	GATEWAY_ALLOW_ALL_USERS API_SERVER_KEY API_SERVER_ENABLED API_SERVER_HOST API_SERVER_PORT WEBHOOK_SECRET`;

/** Every variable we know the meaning of, for the repair of lines that ran together. */
export const knownVariables: ReadonlySet<string> = new Set([
	...words(providers).flatMap((provider) => [`${provider}_API_KEY`, `${provider}_BASE_URL`]),
	...words(others),
	...Object.values(keyTable).flatMap((key) => ("environment" in key ? (key.environment ?? []) : [])),
]);

/** They change which programs run or what they load; a setting must never reach them. */
const refused = new Set(
	words(`LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT LD_DEBUG PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONEXECUTABLE
	PYTHONNOUSERSITE NODE_OPTIONS NODE_PATH PATH SHELL BROWSER EDITOR VISUAL PAGER GIT_SSH_COMMAND GIT_EXEC_PATH GIT_SHELL
	HERMES_HOME HERMES_PROFILE HERMES_CONFIG HERMES_ENV`),
);

/** A name that may stand in .env at all. */
export function isVariableName(name: string): boolean {
	return /^[A-Z_][A-Z0-9_]*$/.test(name);
}

/** A variable that decides which code runs, so that writing it into .env is refused. */
export function isRefusedVariable(name: string): boolean {
	return refused.has(name) || name.startsWith("DYLD_") || name.startsWith("BUN_");
}

const secretWords = new Set(
	words(`TOKEN SECRET PASSWORD PASSWD PWD PASSPHRASE CREDENTIAL CREDENTIALS APIKEY AUTH AUTHORIZATION BEARER COOKIE JWT
	AUTHKEY PRIVATEKEY ACCESSKEY SECRETKEY ACCESSTOKEN REFRESHTOKEN AUTHTOKEN CLIENTSECRET`),
);
/** Words that make a key one that opens something; a `record_key` is a key on the keyboard. */
const keyOwners = new Set(
	words("API PRIVATE ACCESS SECRET ENCRYPTION SIGNING MASTER AUTH SUBSCRIPTION ACCOUNT SERVER PROXY OPENAI FAL"),
);
const passwordEnding = /PASS(?:WORD|WD)$/;
const secretEndings = /^(?:VALUE|INPUT|BEDROCK)$/;

/**
 * Whether what `name` holds is a credential: a variable, a key of a configuration, a JSON field or a header. Words count,
 * not letters: MAX_TOKENS, TOKEN_COUNT and AUTHOR hold none.
 */
export function isSecretName(name: string): boolean {
	const parts = wordsOf(name);
	const last = parts.at(-1) ?? "";
	if (secretEndings.test(last)) return isSecretName(parts.slice(0, -1).join("_"));
	// PWD alone is the current folder.
	if (secretWords.has(last)) return name !== "PWD";
	// PGPASSWORD.
	if (passwordEnding.test(last)) return true;
	if (last === "MATERIAL") return parts.at(-2) === "KEY";
	return (last === "KEY" && keyOwners.has(parts.at(-2) ?? "")) || name.toUpperCase() === "MODAL_TOKEN_ID";
}

/** A password may consist of digits; a token count may not be taken for a token. */
export function isPasswordName(name: string): boolean {
	return /(?:PASSWORD|PASSWD|^PWD|^PASSPHRASE|^SECRET)$/.test(wordsOf(name).at(-1) ?? "");
}

function wordsOf(name: string): string[] {
	return name
		.replace(/([a-z0-9])([A-Z])/g, "$1_$2")
		.toUpperCase()
		.split(/[^A-Z0-9]+/)
		.filter(Boolean);
}

function words(text: string): string[] {
	return text.trim().split(/\s+/);
}
