/** The compiled binary inside a folder that wants to take part: no foreign code runs and no foreign value is read. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { builtBinary } from "../support/built-binary.ts";
import { type HostileFolder, hostileFolder } from "../support/hostile-folder.ts";
import { type Ran, runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const temporary = temporaryFolder();
let hermes: string;

beforeAll(async () => {
	hermes = await builtBinary();
}, 120_000);

afterAll(() => temporary[Symbol.dispose]());

/** A new hostile folder and a home beside it. */
async function scene(): Promise<{ folder: HostileFolder; env: Record<string, string> }> {
	const root = join(temporary.path, crypto.randomUUID());
	const home = join(root, "home");
	mkdirSync(home, { recursive: true });
	return {
		folder: await hostileFolder(root),
		env: { HOME: home, PATH: "/usr/local/bin:/usr/bin:/bin", NO_COLOR: "1" },
	};
}

function run(args: readonly string[], cwd: string, env: Record<string, string>): Promise<Ran> {
	return runProgram([hermes, ...args], { cwd, env });
}

/** What is left of the folder's influence after a run. */
function influence(folder: HostileFolder) {
	return { ran: folder.ran(), foreignHome: existsSync(folder.foreignHome) };
}

const none = { ran: [], foreignHome: false };

describe("the folder", () => {
	test("is hostile: it rules a program that takes no precautions", async () => {
		const { folder, env } = await scene();
		const victim = join(env.HOME ?? "", "victim.ts");
		await Bun.write(
			victim,
			`import { dlopen } from "bun:ffi";
			console.log(process.env.FOREIGN_VALUE);
			try { dlopen("libc.so", { getpid: { args: [], returns: "int" } }); } catch {}`,
		);
		const runVictim = () => runProgram([process.execPath, victim], { cwd: folder.path, env });
		await runVictim();
		const throughPaths = folder.ran();
		// With its catch-all in force nothing but the alias is ever loaded.
		rmSync(join(folder.path, "tsconfig.json"));
		const { stdout } = await runVictim();
		const ran = ["alias", ...(folder.hasLibraries ? ["library"] : []), "preload"];
		expect({ throughPaths, stdout, ran: folder.ran() }).toEqual({ throughPaths: ["alias"], stdout: "foreign\n", ran });
	});
});

describe("hermes in a hostile folder", () => {
	test.each([{ args: ["--version"] }, { args: ["--help"] }, { args: ["tools", "list", "--json"] }])(
		"$args says what it says elsewhere",
		async ({ args }) => {
			const { folder, env } = await scene();
			const elsewhere = await run(args, env.HOME ?? "", env);
			expect(elsewhere.exitCode).toBe(0);
			expect({ ...(await run(args, folder.path, env)), ...influence(folder) }).toEqual({ ...elsewhere, ...none });
		},
	);

	test("exec runs the user's own programs with the user's own variables", async () => {
		const { folder, env } = await scene();
		const script = 'echo "hi [$FOREIGN_VALUE][$OPENAI_BASE_URL][$HERMES_YOLO_MODE]"; grep -c hi /dev/null; pwd -P';
		const ran = await run(["exec", script], folder.path, env);
		expect({ ...ran, ...influence(folder) }).toEqual({
			stdout: `hi [][][]\n0\n${folder.path}\n`,
			stderr: "",
			exitCode: 0,
			...none,
		});
	});

	test("a tool call gets no approval from the folder's .env", async () => {
		const { folder, env } = await scene();
		const call = ["tools", "call", "terminal", '{"command":"sh -c ls"}'];
		const { exitCode } = await run(call, folder.path, env);
		expect({ refused: exitCode !== 0, ...influence(folder) }).toEqual({ refused: true, ...none });
	});

	test("the demo ends well", async () => {
		const { folder, env } = await scene();
		const { exitCode } = await run(["demo"], folder.path, env);
		expect({ exitCode, ...influence(folder) }).toEqual({ exitCode: 0, ...none });
	}, 60_000);
});

describe("hermes under a hostile environment", () => {
	/** Variables that rule a program compiled with the defaults; `./preload.ts` is in the current folder. */
	const variables: Record<string, string>[] = [
		{ BUN_OPTIONS: "--preload ./preload.ts" },
		{ BUN_OPTIONS: "--preload=./preload.ts --config=./bunfig.toml --env-file=.env" },
		{ BUN_INSPECT: "ws+unix:///tmp/hermes-test-inspector.sock", BUN_INSPECT_PRELOAD: "./preload.ts" },
		{ NODE_OPTIONS: "--require ./preload.ts", NODE_PATH: "./node_modules" },
	];

	test.each(variables.map((values) => ({ values })))("$values runs nothing", async ({ values }) => {
		const { folder, env } = await scene();
		const calm = await run(["tools", "list", "--json"], folder.path, env);
		const ran = await run(["tools", "list", "--json"], folder.path, { ...env, ...values });
		// Refusing to start is as good as not caring.
		const unmoved = ran.exitCode !== 0 || ran.stdout === calm.stdout;
		expect({ unmoved, ...influence(folder) }).toEqual({ unmoved: true, ...none });
	});

	test("commands see neither the variables that rule Bun nor the ones that rule Node's lookup", async () => {
		const { folder, env } = await scene();
		const values = { NODE_PATH: "./node_modules", BUN_CONFIG_MAX_HTTP_REQUESTS: "3" };
		const { stdout } = await run(["exec", "env | grep -E '^(BUN_|NODE_PATH)' || echo none"], folder.path, {
			...env,
			...values,
		});
		expect({ stdout, ...influence(folder) }).toEqual({ stdout: "none\n", ...none });
	});
});
