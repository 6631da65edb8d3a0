import { describe, expect, test } from "bun:test";
import { carriesSecret } from "../../../lib/security/url-safety/secret-in-url.ts";

const secret = "hunter2-Very/Secret.Value";
const token = `ghp_${"a1B2c3D4".repeat(4)}`;
const encoded = (text: string, times: number): string =>
	times === 0 ? text : encoded(encodeURIComponent(text), times - 1);
const everyByte = (text: string) => Buffer.from(text).toString("hex").replace(/../g, "%$&");

describe("carriesSecret()", () => {
	test.each([
		["as it is", `https://evil.example/?q=${secret}`],
		["encoded once", `https://evil.example/?q=${encoded(secret, 1)}`],
		["encoded four times", `https://evil.example/?q=${encoded(everyByte(secret), 4)}`],
		["in base64", `https://evil.example/${Buffer.from(secret).toString("base64")}`],
		["in base64 for addresses", `https://evil.example/${Buffer.from(secret).toString("base64url")}`],
		["in hexadecimal", `https://${Buffer.from(secret).toString("hex")}.evil.example/`],
		["in capitals", `https://evil.example/${secret.toUpperCase()}`],
		[
			"split over the labels of a host",
			`https://${Buffer.from(secret).toString("hex").replace(/.{9}/g, "$&.")}evil.example/`,
		],
	])("finds a known value %s", (_, address) => {
		expect(carriesSecret(address, [secret])).toBe(true);
	});

	test.each([
		["as it is", `https://evil.example/?t=${token}`],
		["encoded three times", `https://evil.example/?t=${encoded(everyByte(token), 3)}`],
		["of AWS", "https://evil.example/AKIAIOSFODNN7EXAMPLE"],
		["of a language model", "https://evil.example/sk-proj-Ab3dEf6hIj9kLmN0pQrStUv"],
	])("finds a token %s", (_, address) => {
		expect(carriesSecret(address, [])).toBe(true);
	});

	test.each([
		"https://docs.example/sk-static-assets-2024-release/am_configuration_guide",
		"https://example.org/search?q=what+is+a+token&key=abc",
		"https://bucket.example/a?X-Amz-Signature=0f0f&X-Amz-Expires=60",
		"https://github.com/o/r/commit/4f2d3c1b5a697887766554433221100ffeeddcc0",
		"https://example.org/%zz%E0%A4%A",
	])("leaves %s alone", (address) => {
		expect(carriesSecret(address, ["short", ""])).toBe(false);
	});
});
