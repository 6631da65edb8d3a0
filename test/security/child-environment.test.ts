/** What a child process may see of our environment. */

import { expect, test } from "bun:test";
import { loadPlugins } from "../../lib/base/plugins.ts";
import { knownVariables } from "../../lib/config/variable-names.ts";
import { providers } from "../../lib/providers/all.ts";
import { childEnvironment, completePath, isOwnSecret, isSecret } from "../../lib/security/child-environment.ts";
import { searchVariables } from "../../lib/web/services/configured-services.ts";

test("childEnvironment() keeps the user's variables and drops secrets of ours", () => {
	const kept = {
		HOME: "/home/u",
		LANG: "C.UTF-8",
		AWS_ACCESS_KEY_ID: "a",
		AWS_SECRET_ACCESS_KEY: "b",
		SSH_AUTH_SOCK: "/s",
		EMAIL: "me@example.org",
		HERMES_HOME: "/h",
		NODE_OPTIONS: "--x",
		KEYBOARD: "de",
	};
	const dropped = [
		...["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "SOMEBODY_API_KEY", "API_KEY", "COHERE_APIKEY"],
		...["OPENAI_BASE_URL", "ANTHROPIC_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "HF_TOKEN"],
		...["MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET", "DAYTONA_API_KEY", "AWS_BEARER_TOKEN_BEDROCK", "SUDO_PASSWORD"],
		...["TELEGRAM_BOT_TOKEN", "SLACK_APP_TOKEN", "EMAIL_PASSWORD", "HERMES_DASHBOARD_SESSION_TOKEN", "LLM_MODEL"],
		...["BUN_OPTIONS", "BUN_BE_BUN", "BUN_INSPECT", "NODE_PATH"],
	];
	const variables = { ...kept, PATH: "/usr/bin:/bin", ...Object.fromEntries(dropped.map((name) => [name, "secret"])) };
	const { PATH, ...rest } = childEnvironment(variables);
	expect(rest).toEqual(kept);
	expect(PATH?.split(":").slice(0, 2)).toEqual(["/usr/bin", "/bin"]);
});

test.each([
	["", "/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
	[
		"/a::/b:/a:",
		"/a:/b:/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	],
	[
		"/bin:/usr/bin",
		"/bin:/usr/bin:/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin",
	],
])("completePath() turns %j into a complete PATH", (path, complete) => {
	expect(completePath(path)).toBe(complete);
});

test("childEnvironment() hands on what the settings name, but no key of ours or of a provider", () => {
	const variables = {
		PATH: "/bin",
		TENOR_API_KEY: "1",
		OPENAI_API_KEY: "2",
		GH_TOKEN: "3",
		HERMES_API_TOKEN: "4",
		BUN_X: "5",
	};
	const { PATH: _, ...kept } = childEnvironment(variables, { passed: Object.keys(variables) });
	expect(kept).toEqual({ TENOR_API_KEY: "1" });
});

const mixed = {
	HOME: "/h",
	LANG: "C",
	LC_ALL: "C",
	VIRTUAL_ENV: "/v",
	MY_DB_PASSWORD: "1",
	SENTRY_DSN: "2",
	STRIPE_SECRET: "3",
	AWS_SECRET_ACCESS_KEY: "4",
	AUTHOR: "me",
	EDITOR: "vi",
	OPENAI_API_KEY: "5",
};
const seen = (options: Parameters<typeof childEnvironment>[1]) => {
	const { PATH: _, ...rest } = childEnvironment(mixed, options);
	return Object.keys(rest);
};

test("childEnvironment() drops what looks like anybody's secret, or all that is not needed, when the user wants that", () => {
	expect(seen({})).toEqual(Object.keys(mixed).filter((name) => name !== "OPENAI_API_KEY"));
	expect(seen({ mode: "patterns" })).toEqual(["HOME", "LANG", "LC_ALL", "VIRTUAL_ENV", "AUTHOR", "EDITOR"]);
	expect(seen({ mode: "allowlist" })).toEqual(["HOME", "LANG", "LC_ALL", "VIRTUAL_ENV"]);
	const passed = ["MY_DB_PASSWORD", "OPENAI_API_KEY", "EDITOR"];
	expect(seen({ mode: "patterns", passed })).toContain("MY_DB_PASSWORD");
	expect(seen({ mode: "allowlist", passed })).toEqual([
		...["HOME", "LANG", "LC_ALL", "VIRTUAL_ENV", "MY_DB_PASSWORD", "EDITOR"],
	]);
});

test("every key of every provider and search service, and its address, is kept from children, whatever the settings pass", async () => {
	const { loaded } = await loadPlugins(providers);
	const names = [...loaded.values()]
		.flatMap(({ keyNames }) => keyNames)
		.filter((name) => !name.startsWith("AWS_ACCESS"));
	const addresses = [...knownVariables].filter((name) => name.endsWith("_BASE_URL"));
	expect([names.length > 10, addresses.length > 10]).toEqual([true, true]);
	expect([...names, ...searchVariables, ...addresses].filter((name) => !isSecret(name) || !isOwnSecret(name))).toEqual(
		[],
	);
});

test.each([
	...["FAL_KEY", "WEBHOOK_SECRET", "API_SERVER_KEY", "GATEWAY_PROXY_KEY", "VOICE_TOOLS_OPENAI_KEY", "SEARXNG_URL"],
	...["BROWSERBASE_PROJECT_ID", "GITHUB_APP_PRIVATE_KEY_PATH", "GATEWAY_ALLOWED_USERS", "DISCORD_ALLOWED_USERS"],
])("%s is kept from children", (name) => {
	expect(isSecret(name)).toBe(true);
});
