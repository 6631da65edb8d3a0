/** Amazon Bedrock: two languages at one address, let in by a key or by a signature that the server can check. */

import { describe, expect, test } from "bun:test";
import { createHash, createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { providers } from "../../lib/providers/all.ts";
import { createAwsSigner } from "../../lib/providers/auth/aws-signature.ts";
import { ProviderRefused, type ProviderSettings } from "../../lib/providers/provider.ts";
import { runHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type SeenExchange, startWireServer } from "../support/wire-server.ts";

const fixtures = join(import.meta.dir, "../fixtures/wires");
const { default: bedrock } = (await providers.bedrock?.()) ?? {};
const variables = {
	AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
	AWS_SECRET_ACCESS_KEY: "secret/of+mine",
	AWS_REGION: "eu-west-1",
};
const claude = "us.anthropic.claude-sonnet-4-6";

const answers = async (model: string) => ({
	pieces: [
		await Bun.file(join(fixtures, model === claude ? "anthropic-messages" : "chat-completions", "text.sse")).text(),
	],
});

async function sent(model: string, settings: Partial<ProviderSettings>, path = "") {
	await using server = startWireServer(await answers(model));
	const client = await bedrock?.open({ baseUrl: server.url + path, stallSeconds: 20, ...settings });
	const request = {
		model,
		messages: [{ role: "user" as const, content: "Grüße" }],
		tools: [],
		effort: "high" as const,
	};
	await Array.fromAsync(client?.complete(request, new AbortController().signal) ?? []);
	const [seen] = server.seen;
	if (seen === undefined) throw new Error("nothing was sent");
	return seen;
}

/** Makes the signature once more, as the service does with the secret that it knows; written from AWS's description. */
function checksSignature({ headers, path, text }: SeenExchange, secret: string): boolean {
	const pattern =
		/^AWS4-HMAC-SHA256 Credential=([^/]+)\/((\d+)\/([^/]+)\/([^/]+)\/aws4_request), SignedHeaders=([^,]+), Signature=(\w+)$/;
	const [, , scope = "", day = "", region = "", service = "", names = "", signature] =
		pattern.exec(headers.authorization ?? "") ?? [];
	const hash = (data: string) => createHash("sha256").update(data).digest("hex");
	const mac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
	const signed = names
		.split(";")
		.map((name) => `${name}:${headers[name]}\n`)
		.join("");
	const canonical = ["POST", path, "", signed, names, hash(text)].join("\n");
	const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(mac, `AWS4${secret}`);
	const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash(canonical)].join("\n");
	return signature === mac(key, toSign).toString("hex");
}

describe("bedrock", () => {
	test("bedrock is where the region says", () => {
		expect([
			bedrock?.baseUrlIn?.({ AWS_REGION: "eu-west-1" }),
			bedrock?.baseUrlIn?.({ AWS_DEFAULT_REGION: "us-east-1" }),
			bedrock?.baseUrlIn?.({ AWS_REGION: "evil.test/x" }),
			bedrock?.baseUrlIn?.({}),
		]).toEqual([
			"https://bedrock-runtime.eu-west-1.amazonaws.com",
			"https://bedrock-runtime.us-east-1.amazonaws.com",
			undefined,
			undefined,
		]);
	});

	test("complete() asks Claude in its own language and others in chat completions, whichever path the address has", async () => {
		for (const path of ["", "/", "/openai/v1", "/v1/", "/anthropic", "/anthropic/v1"]) {
			const seen = await Promise.all(
				[claude, "openai.gpt-oss-120b"].map((model) => sent(model, { apiKey: "key-1234" }, path)),
			);
			expect(seen.map(({ path, headers }) => [path, headers.authorization, headers["x-api-key"]])).toEqual([
				["/anthropic/v1/messages", "Bearer key-1234", undefined],
				["/openai/v1/chat/completions", "Bearer key-1234", undefined],
			]);
		}
		const { body } = await sent(claude, { apiKey: "key-1234" });
		expect(body).toMatchObject({ model: claude, max_tokens: 128_000, thinking: { type: "adaptive" } });
	});

	test("complete() signs what it sends when there are AWS credentials and no key", async () => {
		for (const model of [claude, "openai.gpt-oss-120b"]) {
			const seen = await sent(model, { variables });
			expect(checksSignature(seen, variables.AWS_SECRET_ACCESS_KEY)).toBe(true);
			expect(checksSignature(seen, "another secret")).toBe(false);
			expect(checksSignature({ ...seen, text: `${seen.text} ` }, variables.AWS_SECRET_ACCESS_KEY)).toBe(false);
			expect(seen.headers.authorization).toContain("/eu-west-1/bedrock/aws4_request, SignedHeaders=content-type;host;");
			expect(JSON.stringify(seen)).not.toContain(variables.AWS_SECRET_ACCESS_KEY);
		}
		const { headers } = await sent(claude, { variables: { ...variables, AWS_SESSION_TOKEN: "for-an-hour" } });
		expect(headers["x-amz-security-token"]).toBe("for-an-hour");
	});

	test("open() says what is missing", async () => {
		const reasons = await Promise.all(
			[{ variables }, { baseUrl: "http://127.0.0.1:9" }].map(async (settings) => {
				const refused = await bedrock?.open({ stallSeconds: 1, ...settings }).catch((cause: unknown) => cause);
				return refused instanceof ProviderRefused ? [refused.kind, refused.message] : refused;
			}),
		);
		expect(reasons).toEqual([
			["settings", "Cannot use provider bedrock: it has no address; set AWS_REGION or BEDROCK_BASE_URL"],
			["settings", "Cannot sign requests to Bedrock: no region is known; set AWS_REGION"],
		]);
	});

	test("createAwsSigner() signs for the service and region that it is told", async () => {
		const sign = createAwsSigner({ region: "us-east-1", service: "bedrock-mantle", variables });
		const url = new URL("https://bedrock-mantle.us-east-1.api.aws/anthropic/v1/messages");
		const headers = await sign({ url, body: "{}" });
		expect(headers.authorization).toContain("/us-east-1/bedrock-mantle/aws4_request");
		const seen = { path: url.pathname, headers: { ...headers, host: url.host }, body: {}, text: "{}" };
		expect(checksSignature(seen, variables.AWS_SECRET_ACCESS_KEY)).toBe(true);
	});
});

/** A user of AWS's own command line, who has set nothing for hermes. */
test("hermes chat takes the credentials of an AWS profile, and says so when there are none", async () => {
	using home = temporaryFolder();
	await using server = startWireServer(await answers(claude));
	const file = join(home.path, "credentials");
	writeFileSync(
		file,
		`[work]\naws_access_key_id = AKIDPROFILE\naws_secret_access_key = ${variables.AWS_SECRET_ACCESS_KEY}\n`,
	);
	const env = {
		AWS_SHARED_CREDENTIALS_FILE: file,
		AWS_CONFIG_FILE: join(home.path, "none"),
		AWS_EC2_METADATA_DISABLED: "true",
		AWS_REGION: "us-west-2",
		BEDROCK_BASE_URL: server.url,
	};
	const args = ["chat", "-q", "hi", "--provider", "bedrock", "-m", claude, "--output", "json"];
	const chat = async (more: Record<string, string>) => {
		const { stdout } = await runHermes(args, { home: home.path, env: { ...env, ...more } });
		return JSON.parse(stdout);
	};
	const [good, none] = [await chat({ AWS_PROFILE: "work" }), await chat({ AWS_PROFILE: "nobody" })];
	expect([good.ended, good.provider ?? "", none.ended, none.reason]).toEqual(["answered", "", "failed", "settings"]);
	expect(none.error).toContain("aws configure");
	const [seen] = server.seen;
	expect([server.seen.length, seen !== undefined && checksSignature(seen, variables.AWS_SECRET_ACCESS_KEY)]).toEqual([
		1,
		true,
	]);
	expect(seen?.headers.authorization).toContain("Credential=AKIDPROFILE/");
}, 60_000);
