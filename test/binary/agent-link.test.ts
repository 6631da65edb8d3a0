/** The executable under the name `hermes-agent`. */

import { beforeAll, expect, test } from "bun:test";
import { copyFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { builtBinary } from "../support/built-binary.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let hermes: string;

beforeAll(async () => {
	hermes = await builtBinary();
}, 120_000);

const path = "/usr/local/bin:/usr/bin:/bin";

test("the build makes dist/hermes-agent a link to dist/hermes", () => {
	expect(readlinkSync(`${hermes}-agent`)).toBe("hermes");
});

test.each([
	["a link", (to: string) => symlinkSync(hermes, to)],
	["a copy", (to: string) => copyFileSync(hermes, to)],
])(
	"hermes-agent as %s on PATH asks once",
	async (_, make) => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([{ text: "Done." }]);
		make(join(home.path, "hermes-agent"));
		const env = { HOME: home.path, PATH: `${home.path}:${path}`, OPENAI_BASE_URL: server.url };
		const words = "hermes-agent --model=m --max_turns=3 'do it'";
		const { stdout, exitCode } = await runProgram(["/bin/sh", "-c", words], { cwd: "/", env });
		expect({ stdout, exitCode, asked: server.requests[0]?.body.messages.at(-1)?.content }).toEqual({
			stdout: "Done.\n",
			exitCode: 0,
			asked: "do it",
		});
	},
	60_000,
);

test("hermes-agent tells the same version, and its help is that of agent-run", async () => {
	using home = temporaryFolder();
	const run = (args: readonly string[]) => runProgram(args, { cwd: home.path, env: { HOME: home.path, PATH: path } });
	const [version, agentVersion] = [await run([hermes, "--version"]), await run([`${hermes}-agent`, "--version"])];
	expect(agentVersion).toEqual(version);
	const [help, agentHelp] = [await run([hermes, "agent-run", "--help"]), await run([`${hermes}-agent`, "--help"])];
	expect(agentHelp).toEqual(help);
});

test("another name is hermes", async () => {
	using home = temporaryFolder();
	const other = join(home.path, "hermes-agent-2");
	copyFileSync(hermes, other);
	const { stderr, exitCode } = await runProgram([other, "do it"], { cwd: "/", env: { HOME: home.path, PATH: path } });
	expect({ stderr, exitCode }).toEqual({
		stderr: 'hermes: Cannot run "hermes do it": unknown subcommand; see "hermes --help"\n',
		exitCode: 2,
	});
});
