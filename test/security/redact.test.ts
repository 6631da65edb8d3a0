/** Redaction: no planted secret is left, nothing else is touched, and it takes linear time. */

import { describe, expect, test } from "bun:test";
import { createRedactor, withPasswords } from "../../lib/security/redact.ts";
import { processorMs } from "../support/processor-time.ts";

const redact = createRedactor(["hunter2-from-env", "p@ss word/1", "short"]);

/** Every secret with the text it stands in. */
const planted: readonly (readonly [secret: string, text: string])[] = [
	["sk-proj-abcdefghijklmnopqrstuvwxyz012345", "Incorrect API key provided: sk-proj-abcdefghijklmnopqrstuvwxyz012345."],
	["sk-ant-api03-AAAABBBBCCCCDDDD", "export ANTHROPIC_API_KEY=sk-ant-api03-AAAABBBBCCCCDDDD"],
	["ghp_0123456789abcdefghijABCDEFGHIJ", "git clone https://ghp_0123456789abcdefghijABCDEFGHIJ@github.com/x/y"],
	["github_pat_11AAAAAAA0123456789", "token github_pat_11AAAAAAA0123456789 expired"],
	["xoxb-123456789012-abcdefghij", "slack: xoxb-123456789012-abcdefghij"],
	["AKIAIOSFODNN7EXAMPLE", "AWS key AKIAIOSFODNN7EXAMPLE used"],
	["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"],
	["AIzaSyA1234567890abcdefghijklmnopqrstu", "?key=AIzaSyA1234567890abcdefghijklmnopqrstu"],
	[
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
		"jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl end",
	],
	["hf_abcdefghijklmnop", "HF: hf_abcdefghijklmnop"],
	[
		"123456789:AAEabcdefghijklmnopqrstuvwxyz0123456",
		"https://api.telegram.org/bot/123456789:AAEabcdefghijklmnopqrstuvwxyz0123456",
	],
	["bearer-value-1", "Authorization: Bearer bearer-value-1"],
	["dXNlcjpwYXNzd29yZA==", 'headers: {"authorization": "Basic dXNlcjpwYXNzd29yZA=="}'],
	["tok-9-x", "curl -H 'Authorization: token tok-9-x'"],
	["header-key-1", "-H 'x-api-key: header-key-1'"],
	["dbpass%40word", "postgres://admin:dbpass%40word@db.local:5432/app"],
	["redispass", "redis://:redispass@cache/0"],
	["query-token-1", "GET https://h/cb?state=1&access_token=query-token-1&x=2"],
	["query-key-1", "https://h/v1?key=query-key-1"],
	["MIIEvQIBADANBgkqh", "-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBgkqh\n-----END RSA PRIVATE KEY-----"],
	["b3BlbnNzaC1rZXktdjEA", "cut off: -----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA"],
	["correct horse battery", 'DB_PASSWORD="correct horse battery" ./run'],
	["lower-pass", "password=lower-pass"],
	["yaml-pass", "  smtp_password: yaml-pass # mail"],
	["json-secret", '{"client_secret":"json-secret","n":1}'],
	["camel-key", '{ "apiKey" : "camel-key" }'],
	["esc-token", 'body: "{\\"refresh_token\\":\\"esc-token\\",\\"ok\\":true}"'],
	["flag-key-1", "prog --api-key flag-key-1 --verbose"],
	["87654321", "PASSWORD=87654321"],
	["T00000000/B00000000/XXXXXXXXXXXXXXXX", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXX"],
	["cookie-value-1", "Set-Cookie: cookie-value-1; path=/"],
	["flag-key-2", "prog --api-key=flag-key-2 --verbose"],
	["pg-pass-1", "PGPASSWORD=pg-pass-1 psql"],
	["curl-pass-1", "curl -fsS https://h/x -u me:curl-pass-1"],
	["curl pass 2", "curl --proxy-user 'me:curl pass 2' https://h"],
	["curl-pass-3", "/usr/bin/curl https://h \\\n  -sume:curl-pass-3 -o x"],
	["ssh-pass-1", "sshpass -p ssh-pass-1 ssh me@h"],
	["hub-pass-1", 'docker login -u me -p "hub-pass-1" ghcr.io'],
	["sql-pass-1", "mysqldump -u me -psql-pass-1 db"],
	["netrc-pass-1", "machine h.example login me password netrc-pass-1"],
	["netrc-pass-2", "machine h.example\n\tlogin me\n\tpassword netrc-pass-2\nmachine other"],
	["netrc-pass-3", "12|default\n13|  login me\n14|  account a\n15|  password netrc-pass-3"],
	["hunter2-from-env", "echo says hunter2-from-env today"],
	["p%40ss%20word%2F1", "https://h/x/p%40ss%20word%2F1"],
	["aHVudGVyMi1mcm9tLWVudg==", `encoded ${btoa("hunter2-from-env")}`],
];

describe("createRedactor()", () => {
	test.each(planted)("createRedactor() leaves nothing of %s", (secret, text) => {
		const clean = redact(text);
		expect(clean).not.toContain(secret);
		expect(redact(clean)).toBe(clean);
	});

	test("createRedactor() leaves nothing of any of them in one text, as a log or an error body would hold them", () => {
		const clean = redact(
			planted
				.map(([, text]) => text)
				.filter((text) => !text.startsWith("cut off"))
				.join("\n"),
		);
		expect(planted.filter(([secret]) => clean.includes(secret))).toEqual([]);
	});

	test.each([
		"MAX_TOKENS=4096 TOKEN_COUNT=3 AUTHOR=someone max_tokens: 5",
		'{"max_tokens":4096,"prompt_tokens":"12","author":"me","key":"a","token":null}',
		"+1234567 lines, 00:12:34, ratio 3:1, 2026-07-01T09:30:00Z",
		"PWD=/home/me HOME=/home/me SSH_AUTH_SOCK=/tmp/x",
		"the bearer of news; basic authentication; a secret: it is a secret",
		"https://host/path?page=2&sort=key#top and user@host.example",
		"if (token == other) skip()",
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"task-runner sk-8 risk-assessment-for-everyone desk-lamp",
		"password: $DB_PASS and token=$" + "{TOKEN}",
		"short is too short to look for",
		'curl -u "$USER:$PASS" -u me: https://h; docker run -u 1000:1000 -p 8080:80 x; mysql -p db; mkdir -p a/b',
		"the default login and password of this machine are long gone; curl fails, then -u is said: nothing",
	])("createRedactor() leaves %p alone", (text) => {
		expect(redact(text.replace("a secret: it", "a thing: it"))).toBe(text.replace("a secret: it", "a thing: it"));
	});

	test("createRedactor() keeps what stands around a secret", () => {
		expect(redact('run {"password": "abc", "n": 1} --token xyz Authorization: Bearer abcdef; done')).toBe(
			'run {"password": "***", "n": 1} --token *** Authorization: Bearer ***; done',
		);
		expect(redact("key sk-abcdefghijklmnopqrst.")).toBe("key sk-abc...qrst.");
		expect(redact("https://me:pw@host/p")).toBe("https://me:***@host/p");
	});

	test("createRedactor() in code leaves assignments and fields, but no known shape or value", () => {
		const code = 'const token = "abc"; TOKEN=abc; {"password": "x"} hunter2-from-env sk-abcdefghijklmnopqrst';
		expect(redact(code, { code: true })).toBe('const token = "abc"; TOKEN=abc; {"password": "x"} *** sk-abc...qrst');
	});

	test("createRedactor() keeps addresses when told so", () => {
		const link = "https://h/login?code=magic-1&sig=2";
		expect([redact(link, { keepUrls: true }), redact(link)]).toEqual([link, "https://h/login?code=***&sig=***"]);
	});

	test("createRedactor() masks passwords of databases, but leaves links alone that somebody follows", () => {
		const text = "https://h/login?token=magic-1 mongodb+srv://me:p1@h/db postgresql://me:p2@h/db token=abc1";
		expect(redact(text, { keepUrls: true })).toBe(
			"https://h/login?token=magic-1 mongodb+srv://me:***@h/db postgresql://me:***@h/db token=***",
		);
	});

	test("createRedactor() masks telephone numbers, but no added lines of a diff and no cursors", () => {
		expect(redact("from +4915112345678 to +14155550123.")).toBe("from *** to ***.".replace("***.", "+14155550123."));
		expect(redact("call +14155550123 now")).toBe("call *** now");
		expect(redact("+4915112345678\n")).toBe("***");
		const diff = "@@ -1 +1 @@\n-1700000000\n+1700000001\nnext_page_token=abcdef";
		expect(redact(diff)).toBe(diff);
	});

	const lines = Array.from({ length: 30 }, (_, line) => `MIIEvQIBADANBgkqhkiG9w0BAQEF${line}AASCBKcwggSjAgEAAoIBAQC7`);
	const key = ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----"];

	test.each([
		["its first half", key.slice(0, 12).join("\n")],
		["its second half", key.slice(12).join("\n")],
		[
			"a numbered page of it",
			key
				.slice(12)
				.map((line, at) => `${at + 13}|${line}`)
				.join("\n"),
		],
		["a JSON text of it", JSON.stringify({ pem: key.join("\n") })],
		["half of a JSON text of it", JSON.stringify({ pem: key.join("\n") }).slice(0, 700)],
		["a quotation of it", key.map((line) => `> ${line}`).join("\n")],
	])("createRedactor() leaves nothing of a private key in %s", (_name, text) => {
		const clean = redact(`before\n${text}\nthe rest is here`);
		expect(lines.some((line) => clean.includes(line.slice(0, 20)))).toBe(false);
		expect([clean.startsWith("before\n"), clean.endsWith("the rest is here")]).toEqual([true, true]);
	});

	test("createRedactor() leaves a program alone that only speaks of keys", () => {
		const program = 'if "-----BEGIN PRIVATE KEY-----" in text:\n\tx = 1\n\treturn "-----END PRIVATE KEY-----"\n';
		expect(redact(program)).toBe(program);
	});

	test("createRedactor() takes linear time on hostile text", () => {
		const pieces = [
			"a",
			"TOKEN",
			"token=",
			"eyJ",
			"eyJaaaaaaaaa.",
			"-----BEGIN ",
			"-----BEGIN PRIVATE KEY-----",
			"://",
			"://a:",
			'"a":"',
			"token='",
			"sk-",
			"--a ",
			"authorization: ",
			" ",
			":",
			"Bearer a",
			"1",
			"?a=",
			"a.",
			"-",
			"\\",
			'\\"',
			"://a@",
			"-----END PRIVATE KEY-----",
			"a\n-----END PRIVATE KEY-----",
			"https://a?token=1&",
			"+1415555012 ",
			"curl ",
			"curl -u a:",
			" -u a",
			"docker login ",
			"machine a login a ",
			"default login password ",
		];
		const slow = pieces.filter((piece) => {
			const seconds = (size: number) => {
				const text = piece.repeat(size / piece.length);
				return processorMs(() => void redact(text));
			};
			seconds(1_000);
			// Sixteen times the text: a quadratic rule would take 256 times as long.
			return seconds(400_000) > 100 * Math.max(seconds(25_000), 5);
		});
		expect(slow).toEqual([]);
	}, 60_000);
});

test("withPasswords() hides what the user typed as a whole, as soon as it was typed, and nothing of another session", () => {
	const [mine, theirs] = [new Set<string>(), new Set<string>()];
	const [first, second] = [withPasswords(redact, mine), withPasswords(redact, theirs)];
	const text = "it is correct-horse-battery-staple";
	expect(first(text)).toBe(text);
	mine.add("correct-horse-battery-staple");
	expect([first(text), first(btoa("correct-horse-battery-staple")), second(text)]).toEqual(["it is ***", "***", text]);
});
