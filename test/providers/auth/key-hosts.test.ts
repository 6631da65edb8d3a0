import { expect, test } from "bun:test";
import { isMadeFor, isSameHost } from "../../../lib/providers/auth/key-hosts.ts";

test("isSameHost() compares scheme, host and port, and no part of a name", () => {
	const own = "https://openrouter.ai/api/v1";
	const others = [
		"https://openrouter.ai",
		" https://OPENROUTER.ai:443/x ",
		"http://openrouter.ai/api/v1",
		"https://evil-openrouter.ai/api/v1",
		"https://openrouter.ai.evil.example/api/v1",
		"https://openrouter.ai:8443/api/v1",
		"https://evil.example/?openrouter.ai",
		"https://openrouter.ai@evil.example/",
		"",
		"openrouter.ai",
		"file:///openrouter.ai",
	];
	expect(others.map((other) => isSameHost(own, other))).toEqual([true, true, ...Array(9).fill(false)]);
	expect(isSameHost("file:///a", "file:///a")).toBe(false);
});

test("isMadeFor() knows makers by the beginning of a key, at their own domain and encrypted only", () => {
	const at = (secret: string, address: string, known: { configured?: string; beside?: string } = {}) =>
		isMadeFor({ secret, address, beside: known.beside, configured: known.configured });
	const local = "http://127.0.0.1:8000/v1";
	expect({
		own: at("sk-proj-1", "https://eu.api.openai.com/v1", { configured: local }),
		plain: at("sk-proj-1", "http://api.openai.com/v1"),
		near: at("sk-proj-1", "https://openai.com.example/v1", { configured: "https://openai.com.example/v1" }),
		begin: at("sk-proj-1", "https://notopenai.com/v1", { configured: "https://notopenai.com/v1" }),
		local: at("sk-proj-1", local, { configured: local }),
		beside: at("sk-proj-1", local, { beside: local }),
		elsewhere: at("sk-proj-1", "https://api.openai.com/v1", { beside: local }),
		anthropic: at("sk-ant-api03-1", "https://api.openai.com/v1"),
		nobody: at("sk-0123", local, { configured: local }),
		nobodyElse: at("sk-0123", "https://api.openai.com/v1", { configured: local }),
		openAi: at("sk-0123", "https://api.openai.com/v1"),
		unknown: at("sk-0123", local),
	}).toEqual({
		own: true,
		plain: false,
		near: false,
		begin: false,
		local: false,
		beside: true,
		elsewhere: false,
		anthropic: false,
		nobody: true,
		nobodyElse: false,
		openAi: true,
		unknown: false,
	});
});
