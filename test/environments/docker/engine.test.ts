/** Finding the engine, and saying why it cannot be reached. */

import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { connectEngine } from "../../../lib/environments/docker/engine/connect.ts";
import { findEndpoints } from "../../../lib/environments/docker/engine/endpoint.ts";
import docker from "../../../lib/environments/docker/index.ts";
import { settings } from "../../../lib/environments/docker/settings.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const signal = new AbortController().signal;

/** The message of whatever `promise` throws. */
async function complaint(promise: Promise<unknown>): Promise<string> {
	const cause = await promise.then(
		() => undefined,
		(error: unknown) => error,
	);
	return cause instanceof Error ? `${cause.name}: ${cause.message}` : "nothing was thrown";
}

/** A docker client's folder that knows one context. */
async function clientFolder(path: string, context: { name: string; host: string; skip?: boolean }): Promise<void> {
	const id = new Bun.CryptoHasher("sha256").update(context.name).digest("hex");
	await Bun.write(join(path, "config.json"), JSON.stringify({ auths: {}, currentContext: context.name }));
	const meta = { Name: context.name, Endpoints: { docker: { Host: context.host, SkipTLSVerify: context.skip } } };
	await Bun.write(join(path, "contexts", "meta", id, "meta.json"), JSON.stringify(meta));
}

/** A socket that takes connections and says nothing; only root may open it. */
async function listenOn(path: string): Promise<AsyncDisposable> {
	const server = createServer(() => undefined);
	const { promise, resolve } = Promise.withResolvers<void>();
	server.listen(path, resolve);
	await promise;
	chmodSync(path, 0o600);
	return { [Symbol.asyncDispose]: async () => void server.close() };
}

describe("findEndpoints()", () => {
	test.each([
		["unix:///a/b.sock", { kind: "socket", path: "/a/b.sock" }],
		["tcp://box:2375", { kind: "tcp", host: "box", port: 2375 }],
		["box:2375", { kind: "tcp", host: "box", port: 2375 }],
		["tcp://box", { kind: "tcp", host: "box", port: 2375 }],
		["tcp://[::1]:2375", { kind: "tcp", host: "::1", port: 2375 }],
		["ssh://me@box", { kind: "ssh", destination: "me@box" }],
		["ssh://box:2222", { kind: "ssh", destination: "box", port: "2222" }],
		["ssh://box/run/user/1/docker.sock", { kind: "ssh", destination: "box", socket: "/run/user/1/docker.sock" }],
	] as const)("reads DOCKER_HOST=%s", (host, address) => {
		expect(findEndpoints({ DOCKER_HOST: host })).toEqual([{ address, source: "DOCKER_HOST" }]);
	});

	test.each(["npipe:////./pipe/docker", "unix://", "ssh://", "ssh://me:secret@box", "tcp://", "http ://x"])(
		"refuses DOCKER_HOST=%s",
		(host) => {
			expect(() => findEndpoints({ DOCKER_HOST: host })).toThrow("(DOCKER_HOST)");
		},
	);

	test("does not repeat a password", () => {
		expect(() => findEndpoints({ DOCKER_HOST: "ssh://me:secret@box" })).toThrow('Cannot use "ssh://…@box"');
	});

	test("takes the context that was chosen, with its certificates", async () => {
		using folder = temporaryFolder();
		await clientFolder(folder.path, { name: "far", host: "tcp://far:2376", skip: true });
		expect(findEndpoints({ DOCKER_CONFIG: folder.path })).toEqual([
			{
				address: { kind: "tcp", host: "far", port: 2376, tls: { verify: false } },
				source: 'the docker context "far"',
			},
		]);
		expect(findEndpoints({ DOCKER_CONFIG: folder.path, DOCKER_HOST: "unix:///x" })[0]?.source).toBe("DOCKER_HOST");
		expect(() => findEndpoints({ DOCKER_CONFIG: folder.path, DOCKER_CONTEXT: "gone" })).toThrow(
			'Cannot use the docker context "gone"',
		);
	});

	test("tries the usual sockets of Docker, rootless Docker and Podman", () => {
		const endpoints = findEndpoints({ HOME: "/home/me", XDG_RUNTIME_DIR: "/run/user/1" });
		expect(endpoints.map(({ address }) => ("path" in address ? address.path : ""))).toEqual([
			"/var/run/docker.sock",
			"/home/me/.docker/run/docker.sock",
			"/run/user/1/docker.sock",
			"/run/user/1/podman/podman.sock",
			"/run/podman/podman.sock",
		]);
	});

	test("names a broken config.json", async () => {
		using folder = temporaryFolder();
		await Bun.write(join(folder.path, "config.json"), "{");
		expect(() => findEndpoints({ DOCKER_CONFIG: folder.path })).toThrow(`Cannot use "${folder.path}/config.json"`);
	});
});

describe("connectEngine()", () => {
	test("names the socket and ENOENT when it is missing", async () => {
		expect(await complaint(connectEngine({ DOCKER_HOST: "unix:///nope/docker.sock" }, signal))).toBe(
			"BackendUnavailable: Cannot reach a container engine (DOCKER_HOST): /nope/docker.sock failed: ENOENT, there is no such " +
				"socket; start Docker or Podman, or name its socket in DOCKER_HOST",
		);
	});

	test("names the socket and ECONNREFUSED when nobody listens any more", async () => {
		using folder = temporaryFolder();
		const path = join(folder.path, "stale.sock");
		const left = Bun.spawn(
			[
				process.execPath,
				"-e",
				`require("net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 9))`,
			],
			{ stdio: ["ignore", "ignore", "ignore"] },
		);
		await left.exited;
		expect(await complaint(connectEngine({ DOCKER_HOST: `unix://${path}` }, signal))).toContain(
			`${path} failed: ECONNREFUSED, nobody answers there`,
		);
	});

	test.skipIf(process.getuid?.() !== 0)("names the socket and what to do when the user may not open it", async () => {
		using folder = temporaryFolder();
		const path = join(folder.path, "docker.sock");
		await using _server = await listenOn(path);
		chmodSync(folder.path, 0o755);
		const script = `import { connectEngine } from ${JSON.stringify(join(import.meta.dir, "../../../lib/environments/docker/engine/connect.ts"))};
			process.setgroups([]); process.setgid(65534); process.setuid(65534);
			await connectEngine({ DOCKER_HOST: "unix://${path}" }, new AbortController().signal).catch((cause) => console.log(cause.message));`;
		await Bun.write(join(folder.path, "try.ts"), script);
		const tried = Bun.spawn([process.execPath, join(folder.path, "try.ts")], { stdio: ["ignore", "pipe", "inherit"] });
		expect(await new Response(tried.stdout).text()).toBe(
			`Cannot reach a container engine (DOCKER_HOST): ${path} failed: EACCES, permission denied; join the group that owns ` +
				"the socket (usermod -aG docker $USER, then log in again), or use rootless Docker or Podman\n",
		);
	});

	test("is ended by its signal while an engine is silent", async () => {
		using folder = temporaryFolder();
		const path = join(folder.path, "docker.sock");
		await using _server = await listenOn(path);
		expect(await complaint(connectEngine({ DOCKER_HOST: `unix://${path}` }, AbortSignal.timeout(200)))).toContain(
			"timed out",
		);
	});
});

describe("available()", () => {
	test("says what is missing, and starts nothing", async () => {
		expect(await docker.available(settings.parse({}), { DOCKER_HOST: "unix:///nope/docker.sock" })).toContain(
			"/nope/docker.sock failed: ENOENT",
		);
		expect(await docker.available(settings.parse({}), { DOCKER_HOST: "junk://x" })).toContain("(DOCKER_HOST)");
		expect(await docker.available(settings.parse({}), { DOCKER_HOST: "ssh://box" })).toBe(true);
	});
});
