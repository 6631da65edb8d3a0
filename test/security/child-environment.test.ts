/** What a child process may see of our environment. */

import { expect, test } from "bun:test";
import { childEnvironment, completePath } from "../../lib/security/child-environment.ts";

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
	const { PATH: _, ...kept } = childEnvironment(variables, Object.keys(variables));
	expect(kept).toEqual({ TENOR_API_KEY: "1" });
});
