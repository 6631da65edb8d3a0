/** Pulling images, with logins that the docker client has saved, from a real registry. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { connectEngine, type Engine } from "../../../lib/environments/docker/engine/connect.ts";
import { unlessStatus } from "../../../lib/environments/docker/engine/engine-error.ts";
import { findLogin } from "../../../lib/environments/docker/image/registry-login.ts";
import { hostVariables, openDocker } from "../../support/docker-sandbox.ts";
import { requireService, serviceVariable } from "../../support/required-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const limitMs = 60_000;
const isThere = await requireService("registry", async () => {
	await fetch(`http://${serviceVariable("HERMES_TEST_REGISTRY")}/v2/`);
	serviceVariable("DOCKER_HOST");
});

/** A docker client's folder with this config.json, and a credential helper named `test` that runs `helper`. */
async function client(config: object, helper = "exit 1") {
	const folder = temporaryFolder();
	await Bun.write(join(folder.path, "config.json"), JSON.stringify(config));
	const program = join(folder.path, "docker-credential-test");
	await Bun.write(program, `#!/bin/sh\n${helper}\n`);
	chmodSync(program, 0o755);
	const variables = { DOCKER_CONFIG: folder.path, PATH: `${folder.path}:/usr/bin:/bin` };
	return { variables, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

const basic = (user: string, password: string) => ({ auth: btoa(`${user}:${password}`) });

describe("findLogin()", () => {
	test("reads config.json, whose keys are hosts or addresses", async () => {
		using here = await client({
			auths: {
				"ghcr.io": basic("me", "a:b"),
				"https://index.docker.io/v1/": { username: "hub", password: "x" },
				"https://old.example/v1/": basic("old", "y"),
				"token.example": { identitytoken: "t" },
				"empty.example": {},
			},
		});
		const find = (registry: string) => findLogin(registry, here.variables);
		expect(await find("ghcr.io")).toEqual({ username: "me", password: "a:b", serveraddress: "ghcr.io" });
		expect(await find("https://index.docker.io/v1/")).toMatchObject({ username: "hub", password: "x" });
		expect(await find("old.example")).toMatchObject({ username: "old", password: "y" });
		expect(await find("token.example")).toEqual({ identitytoken: "t", serveraddress: "token.example" });
		expect(await find("empty.example")).toBeUndefined();
		expect(await find("nobody.example")).toBeUndefined();
	});

	test("asks the helper of the registry before the one for all", async () => {
		const helper = `read -r server; printf '{"ServerURL":"%s","Username":"u-%s","Secret":"s"}' "$server" "$server"`;
		using here = await client({ credsStore: "gone", credHelpers: { "a.example": "test" } }, helper);
		expect(await findLogin("a.example", here.variables)).toEqual({
			username: "u-a.example",
			password: "s",
			serveraddress: "a.example",
		});
		expect(await findLogin("b.example", here.variables)).toBeUndefined();
	});

	test("goes on without a login when the helper knows nobody, and says when it fails", async () => {
		using empty = await client({ credsStore: "test" }, "echo 'credentials not found in native keychain'; exit 1");
		expect(await findLogin("a.example", empty.variables)).toBeUndefined();
		using locked = await client({ credsStore: "test" }, "echo 'the keychain is locked' >&2; exit 1");
		await expect(findLogin("a.example", locked.variables)).rejects.toThrow(
			'Cannot read the login for "a.example": docker-credential-test says the keychain is locked',
		);
		using noisy = await client({ credsStore: "test" }, "echo hello");
		await expect(findLogin("a.example", noisy.variables)).rejects.toThrow("docker-credential-test gave none");
	});
});

describe.skipIf(!isThere)("an image", () => {
	const registry = () => serviceVariable("HERMES_TEST_REGISTRY_AUTH");
	const image = () => `${registry()}/hermes-test:sh`;
	let engine: Engine | undefined;
	const forget = async () => {
		await unlessStatus([404, 409], engine?.docker.getImage(image()).remove({ force: true }) ?? Promise.resolve());
	};
	beforeAll(async () => {
		engine = await connectEngine(hostVariables(), new AbortController().signal);
		await forget();
	});
	afterAll(async () => {
		await forget();
		await engine?.[Symbol.asyncDispose]();
	});

	async function openWith(config: object) {
		using here = await client(config);
		const told: string[] = [];
		const sandbox = await openDocker({
			settings: { docker_image: image() },
			variables: here.variables,
			onProgress: (line) => void told.push(line),
		});
		await sandbox[Symbol.asyncDispose]();
		return told;
	}

	test(
		"of a registry with a password is refused without it",
		async () => {
			await expect(openWith({})).rejects.toThrow(/Cannot pull ".*hermes-test:sh": .*; log in with `docker login`/);
			const wrong = { auths: { [registry()]: basic(serviceVariable("HERMES_TEST_REGISTRY_USER"), "wrong-secret") } };
			const refused = await openWith(wrong).then(String, String);
			expect(refused).toContain("Cannot pull");
			expect(refused).not.toContain("wrong-secret");
		},
		limitMs,
	);

	test(
		"is pulled with the saved login, and that is told",
		async () => {
			const { HERMES_TEST_REGISTRY_USER: user = "", HERMES_TEST_REGISTRY_PASSWORD: password = "" } = process.env;
			const told = await openWith({ auths: { [registry()]: basic(user, password) } });
			expect([told[0], told.at(-1)]).toEqual([`Pulling ${image()}`, expect.stringMatching(/^Pulled .* in [\d.]+ s$/)]);
			expect(await openWith({})).toEqual([]);
		},
		limitMs,
	);
});
