/** Nobody but the script can call its tools, and the script sees no keys. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { execute } from "../../lib/environments/shell/execute.ts";
import { CallDesk } from "../../lib/rpc/call-desk.ts";
import { frameOf } from "../../lib/rpc/frames.ts";
import { sifted } from "../../lib/rpc/script-environment.ts";
import { isToken } from "../../lib/rpc/token.ts";
import { listenLocally } from "../../lib/rpc/transports/local-socket.ts";
import { hasPlace, openRelayed, openRemoteShell, remotePlaces } from "../environments/relay/remote-places.ts";
import { openScriptSession } from "../support/script-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openHere } from "./script-places.ts";

const { signal } = new AbortController();
const isRoot = process.getuid?.() === 0;

/** Tries the socket of a running script as another user, with the right token. */
const attack = `
import os, socket, sys
address, token = sys.argv[1:3]
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    if address.startswith("tcp://"):
        connection = socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1])))
    else:
        connection = socket.socket(socket.AF_UNIX); connection.connect(address)
    body = b'{"id":1,"tool":"web_search","args":{"query":"x"}}'
    for part in (token.encode(), body):
        connection.sendall(len(part).to_bytes(4, "big") + part)
    connection.settimeout(5)
    print("answer" if connection.recv(100) else "closed")
except OSError as error:
    print(type(error).__name__)
`;

/** A script that lets a second user try, once with its own token and once with a wrong one. */
const letTry = `
import os, subprocess, sys
attack = ${JSON.stringify(attack)}
address, token = os.environ["HERMES_RPC_SOCKET"], os.environ["HERMES_RPC_TOKEN"]
for shown in (token, "0" * 64):
    ran = subprocess.run([sys.executable, "-c", attack, address, shown], capture_output=True, text=True)
    print((ran.stdout + ran.stderr).strip())
`;

const places = await Promise.all(remotePlaces.map(async (place) => ({ place, isThere: await hasPlace(place) })));

describe.skipIf(!isRoot)("another user", () => {
	let here: Awaited<ReturnType<typeof openHere>>;
	beforeAll(async () => {
		here = await openHere();
	});
	afterAll(() => here[Symbol.asyncDispose]());

	test("cannot reach the socket of a script on this machine, not even with its token", async () => {
		const session = await openScriptSession(here.shell);
		const result = await session.run(letTry);
		expect(result).toMatchObject({ output: "PermissionError\nPermissionError\n", callCount: 0 });
	});

	test("can reach a port, and gets nothing without the token", async () => {
		const session = await openScriptSession(here.shell);
		const result = await session.run(letTry, { transport: "tcp" });
		expect(result).toMatchObject({ output: expect.stringMatching(/^answer\n(closed|ConnectionResetError)\n$/) });
	});

	test("cannot read the environment of the script, where the token is", async () => {
		const session = await openScriptSession(here.shell);
		const code = `
import os, subprocess, sys
look = "import os, sys; os.setuid(65534); open('/proc/' + sys.argv[1] + '/environ').read()"
print(subprocess.run([sys.executable, "-c", look, str(os.getpid())], capture_output=True, text=True).stderr.strip().split("\\n")[-1].split(":")[0])`;
		expect(await session.run(code)).toMatchObject({ output: "PermissionError\n" });
	});

	for (const { place, isThere } of places) {
		// Only root can become somebody else, and the user of the ssh service is none.
		const asRoot = place.name !== "ssh";
		test.skipIf(!isThere)(`cannot reach it inside ${place.name}`, async () => {
			await using opened = await openRelayed(place);
			await using shell = await openRemoteShell(opened.sandbox, place);
			const session = await openScriptSession(shell);
			if (asRoot) {
				const result = await session.run(letTry);
				expect(result).toMatchObject({
					transport: "relay",
					output: "PermissionError\nPermissionError\n",
					callCount: 0,
				});
				return;
			}
			const code = `import os
path = os.environ["HERMES_RPC_SOCKET"]
print([oct(os.stat(at).st_mode & 0o777) for at in (os.path.dirname(path), path)])`;
			expect(await session.run(code)).toMatchObject({ transport: "relay", output: "['0o700', '0o600']\n" });
			// The sshd is on this machine, so its socket can be tried from here as somebody else.
			const tried = await session.run(
				`import os, time\nprint(os.environ["HERMES_RPC_SOCKET"], os.environ["HERMES_RPC_TOKEN"], flush=True)\ntime.sleep(0.1)`,
			);
			const [address = "", token = ""] = tried.is === "ran" ? tried.output.trim().split(" ") : [];
			const ran = Bun.spawnSync(["/usr/bin/python3", "-c", attack, address, token]);
			expect(ran.stdout.toString().trim()).toMatch(/PermissionError|FileNotFoundError/);
		});
	}
});

describe("a connection", () => {
	/** What comes back for `frames`, until the other side closes or answers. */
	async function say(frames: readonly Uint8Array[], options: { readonly token?: (right: string) => string } = {}) {
		using folder = temporaryFolder();
		const desk = new CallDesk({
			offer: { functions: [{ name: "terminal", description: "", parameters: [] }], servers: [] },
			maxCalls: 5,
			callTool: async ({ arguments: args }) => JSON.stringify({ args }),
			signal,
		});
		const transport = listenLocally(
			{ folder: folder.path, desk, signal } as Parameters<typeof listenLocally>[0],
			"unix",
		);
		const { HERMES_RPC_SOCKET: path = "", HERMES_RPC_TOKEN: token = "" } = transport.variables;
		const socket = connect({ path });
		const { promise, resolve } = Promise.withResolvers<string>();
		let said = "";
		socket.on("data", (bytes) => {
			said += bytes.toString("latin1").replace(/^[\s\S]{4}/, "");
			resolve(said);
		});
		socket.on("close", () => resolve("closed"));
		socket.on("error", () => resolve("closed"));
		socket.write(frameOf((options.token ?? ((right) => right))(token)));
		for (const frame of frames) socket.write(frame);
		const answer = await promise;
		socket.destroy();
		await transport[Symbol.asyncDispose]();
		await desk.close();
		return answer;
	}

	const call = (body: unknown) => frameOf(JSON.stringify(body));

	test.each([
		{ what: "the token", token: (right: string) => right, expected: '{"id":1,"ok":true,"result":{"args":{"a":1}}}' },
		{ what: "a wrong token", token: () => "f".repeat(64), expected: "closed" },
		{ what: "half of the token", token: (right: string) => right.slice(0, 32), expected: "closed" },
		{ what: "no token", token: () => "", expected: "closed" },
		{ what: "a request for a token", token: () => '{"id":1,"tool":"terminal","args":{}}', expected: "closed" },
		{ what: "a token without end", token: () => "x".repeat(2_000), expected: "closed" },
	])("with $what: $expected", async ({ token, expected }) => {
		expect(await say([call({ id: 1, tool: "terminal", args: { a: 1, background: true, pty: true } })], { token })).toBe(
			expected,
		);
	});

	test.each([
		{
			what: "what is no JSON",
			frame: frameOf("{"),
			expected: '{"id":0,"ok":false,"kind":"refused","error":"Cannot read the request: it is not JSON"}',
		},
		{
			what: "another tool",
			frame: call({ id: 7, tool: "memory", args: {} }),
			expected:
				'{"id":7,"ok":false,"kind":"refused","error":"Cannot call \\"memory\\" from a script: it may call terminal"}',
		},
		{
			what: "arguments that are none",
			frame: call({ id: 8, tool: "terminal", args: 3 }),
			expected: expect.stringContaining('{"id":8,"ok":false,"kind":"refused","error":"Cannot read the request: args'),
		},
		{ what: "a frame of 4 GB", frame: new Uint8Array([255, 255, 255, 255, 1]), expected: "closed" },
	])("answers $what", async ({ frame, expected }) => {
		expect(await say([frame])).toEqual(expected);
	});
});

describe("isToken()", () => {
	test("knows the token and nothing else", () => {
		expect([isToken("abc", "abc"), isToken("abd", "abc"), isToken("ab", "abc"), isToken("", "abc")]).toEqual([
			true,
			false,
			false,
			false,
		]);
	});
});

describe("sifted()", () => {
	const variables = {
		...{ PATH: "/bin", HOME: "/h", LANG: "C", LC_ALL: "C", XDG_CACHE_HOME: "/c", HERMES_HOME: "/h/.hermes", TZ: "UTC" },
		...{ VIRTUAL_ENV: "/v", CONDA_PREFIX: "/conda", PYTHONPATH: "/p", CONDA_TOKEN: "s", XDG_SESSION_KEY: "s" },
		...{ OPENAI_API_KEY: "s", ANTHROPIC_TOKEN: "s", GITHUB_TOKEN: "s", MY_SERVICE_KEY: "s", DATABASE_DSN: "s" },
		...{ HERMES_BASE_URL: "s", HERMES_API_KEY: "s", LD_PRELOAD: "/x.so", SSH_AUTH_SOCK: "/a", NODE_OPTIONS: "x" },
		...{ PATHOLOGICAL: "x", TERMINUS: "x", KEYBOARD_LAYOUT: "de", AUTHOR: "me", SYSTEMROOT: "C:\\Windows" },
	};
	const names = (options: Partial<Parameters<typeof sifted>[1]>) =>
		Object.keys(sifted(variables, { mode: "project", passthrough: [], platform: "linux", ...options }));
	const usual = ["PATH", "HOME", "LANG", "LC_ALL", "XDG_CACHE_HOME", "HERMES_HOME", "TZ"];

	test("keeps what a script needs, and nothing that may be a secret", () => {
		expect(names({})).toEqual([...usual, "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH"]);
		expect(names({ mode: "strict" })).toEqual(usual);
		expect(names({ mode: "strict", platform: "win32" })).toEqual([...usual, "SYSTEMROOT"]);
	});

	test("lets pass what the user names, but no key of a provider and nothing of ours", () => {
		const passthrough = [
			"MY_SERVICE_KEY",
			"AUTHOR",
			"OPENAI_API_KEY",
			"ANTHROPIC_TOKEN",
			"GITHUB_TOKEN",
			"HERMES_API_KEY",
		];
		expect(names({ mode: "strict", passthrough })).toEqual([...usual, "MY_SERVICE_KEY", "AUTHOR"]);
	});

	test("holds for scripts: no key that the session has is in their environment, nor in what they start", async () => {
		await using here = await openHere("/tmp", { OPENAI_API_KEY: "sk-from-the-host", ANTHROPIC_TOKEN: "t" });
		await execute(here.shell, "export SLACK_WEBHOOK=hook MY_KEY=k", { signal });
		const session = await openScriptSession(here.shell);
		const code = `import os, subprocess
here = open("/proc/self/environ").read() + subprocess.run(["env"], capture_output=True, text=True).stdout
print([name for name in ("OPENAI_API_KEY", "ANTHROPIC_TOKEN", "SLACK_WEBHOOK", "MY_KEY", "sk-from") if name in here])`;
		expect(await session.run(code)).toMatchObject({ output: "[]\n" });
	});
});
