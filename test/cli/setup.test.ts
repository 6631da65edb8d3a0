/** hermes setup: keys pressed at a terminal lead from nothing to a hermes that answers, and leaving early breaks nothing. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostNames } from "../../lib/environments/ssh/configuration/host-names.ts";
import { startModelService } from "../support/model-service.ts";
import { runHermes, startOnTerminal } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(120_000);

const key = "sk-of-the-service-1234567890";
/** A terminal that can be drawn on. */
const drawn = { TERM: "xterm-256color" };
const [enter, up, ctrlC] = ["\r", "\x1b[A", "\x03"];

/** Every file below `folder` with its text. */
function texts(folder: string): Map<string, string> {
	const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
	return new Map(
		entries
			.filter((entry) => entry.isFile())
			.map((entry) => join(entry.parentPath, entry.name))
			.map((path) => [path, readFileSync(path, "latin1")]),
	);
}

/** Questions of the first part, and what is typed at each for a server of one's own. */
function ownServer(url: string, typedKey = key) {
	return [
		// The last of the list is one step up from the first.
		["Who answers?", `${up}${enter}`],
		["Address, with /v1", `${url}${enter}`],
		["Does it need a key?", `y`],
		["Key", `${typedKey}${enter}`],
	] as const;
}

test("setup leads from nothing to a profile that answers, and shows and keeps the key in one place only", async () => {
	await using service = startModelService({ key, models: ["model-a", "model-b"] });
	using home = temporaryFolder();
	const options = { home: home.path };
	await using wizard = startOnTerminal(["setup"], options);
	const steps: readonly (readonly [string, string])[] = [
		...ownServer(service.url),
		["Which model?", enter],
		["model-a of custom answers", ""],
		["Where do commands run?", enter],
		["Try local out now?", enter],
		["Which tools may the model use?", enter],
	];
	for (const [question, typed] of steps) {
		await wizard.shows(question);
		wizard.type(typed);
	}
	expect(await wizard.exitCode).toBe(0);
	expect(wizard.shown()).not.toContain(key);

	const answer = await runHermes(["-z", "hi"], options);
	expect(answer).toMatchObject({ stdout: "Hello from model-a\n", exitCode: 0 });
	expect(service.keys.at(-1)).toBe(`Bearer ${key}`);
	const holders = [...texts(home.path)].filter(([, text]) => text.includes(key)).map(([path]) => path);
	expect(holders).toEqual([join(home.path, ".hermes/auth.json")]);
});

test("run again, setup keeps all of it by Enter, the key included, and says once what is wrong with the settings", async () => {
	await using service = startModelService({ key, models: ["model-a", "model-b"] });
	using home = temporaryFolder();
	const folder = join(home.path, ".hermes");
	mkdirSync(folder);
	const settings = "# mine\nmodel:\n  provider: custom # here\n  default: model-b\n  base_url: URL\nunknown_word: 1\n";
	writeFileSync(join(folder, "config.yaml"), settings.replace("URL", service.url));
	const keyOfIt = { id: "0", label: "key 1", auth_type: "api_key", priority: 0, source: "manual", access_token: key };
	const pool = { version: 1, credential_pool: { custom: [{ ...keyOfIt, base_url: service.url }] } };
	writeFileSync(join(folder, "auth.json"), JSON.stringify(pool));
	const before = texts(home.path);
	await using wizard = startOnTerminal(["setup", "model"], { home: home.path });
	for (const question of ["Who answers?", "Address, with /v1", "Use its key that is set?", "Which model?"]) {
		await wizard.shows(question);
		wizard.type(enter);
	}
	expect(await wizard.exitCode).toBe(0);
	expect(wizard.shown().split("unknown key unknown_word")).toHaveLength(2);
	const changed = [...texts(home.path)].filter(([path, text]) => before.has(path) && before.get(path) !== text);
	expect(changed).toEqual([]);
});

test("a home that cannot be written is told of before anything is asked", async () => {
	using home = temporaryFolder();
	writeFileSync(join(home.path, "taken"), "");
	await using wizard = startOnTerminal(["setup"], {
		home: home.path,
		env: { HERMES_HOME: join(home.path, "taken") },
	});
	expect(await wizard.exitCode).toBe(1);
	expect(wizard.shown()).toContain("it is a file, not a folder; set HERMES_HOME to a folder of your own");
	expect(wizard.shown()).not.toContain("Who answers");
});

test("a key that is refused can be typed again", async () => {
	await using service = startModelService({ key, models: ["model-a"] });
	using home = temporaryFolder();
	await using wizard = startOnTerminal(["setup", "model"], { home: home.path });
	for (const [question, typed] of [
		...ownServer(service.url, "sk-wrong-key-0000"),
		["It does not accept the key (status 401)", ""],
		["Type another key?", enter],
		["Key of custom", `${key}${enter}`],
		["It answers and has 1 models", ""],
		["Which model?", enter],
	] as const) {
		await wizard.shows(question);
		wizard.type(typed);
	}
	expect(await wizard.exitCode).toBe(0);
	expect([...texts(home.path).values()].some((text) => text.includes("sk-wrong-key-0000"))).toBe(false);
});

test("Ctrl-C at any question leaves settings that can be used: those of complete parts, and nothing of others", async () => {
	await using service = startModelService({ key, models: ["model-a"] });
	const questions: readonly (readonly [string, string])[] = [
		...ownServer(service.url),
		["Which model?", enter],
		["Where do commands run?", enter],
		["Which tools may the model use?", enter],
	];
	const left = questions.map(async (_, at) => {
		using home = temporaryFolder();
		const options = { home: home.path };
		await using wizard = startOnTerminal(["setup"], options);
		for (const [question, typed] of questions.slice(0, at)) {
			await wizard.shows(question);
			wizard.type(typed);
			if (question === "Where do commands run?") {
				await wizard.shows("Try local out now?");
				wizard.type(enter);
			}
		}
		await wizard.shows(questions[at]?.[0] ?? "");
		wizard.type(ctrlC);
		const exitCode = await wizard.exitCode;
		const check = await runHermes(["config", "check"], options);
		const model = (await runHermes(["config", "get", "model.default"], options)).stdout.trim();
		const hasKey = [...texts(home.path).values()].some((text) => text.includes(key));
		return { exitCode, valid: check.exitCode, model, hasKey };
	});
	const outcomes = await Promise.all(left);
	expect(outcomes.map(({ exitCode, valid }) => [exitCode, valid])).toEqual(questions.map(() => [130, 0]));
	expect(outcomes.map(({ model, hasKey }) => [model, hasKey])).toEqual([
		...[0, 1, 2, 3, 4].map(() => ["", false]),
		...[5, 6].map(() => ["model-a", true]),
	]);
});

test("without a terminal setup prints the commands that do the same, with what is set now", async () => {
	using home = temporaryFolder();
	const options = { home: home.path };
	await runHermes(["config", "set", "model.default", "of mine"], options);
	const { stdout, exitCode } = await runHermes(["setup"], options);
	expect(exitCode).toBe(0);
	expect(stdout).toContain("hermes config set model.default 'of mine'\n");
	expect(stdout).toContain("# hermes config set model.provider PROVIDER\n");
	expect(stdout).toContain("hermes config set terminal.backend local\n");
	expect((await runHermes(["setup", "terminal"], options)).stdout).not.toContain("model.default");
	expect((await runHermes(["setup", "modle"], options)).exitCode).toBe(2);
});

test("hostNames() lists the hosts of ~/.ssh/config that have names", () => {
	using home = temporaryFolder();
	mkdirSync(join(home.path, ".ssh"));
	writeFileSync(join(home.path, ".ssh/config"), "Host gpu box\n  User me\nHost *.lan !x\nHost gpu\nHost=last # note\n");
	expect(hostNames(home.path)).toEqual(["gpu", "box", "last"]);
	expect(hostNames(join(home.path, "nothing"))).toEqual([]);
});

test("the first conversation offers setup, and goes on with what was set up", async () => {
	await using service = startModelService({ key, models: ["model-a"] });
	using home = temporaryFolder();
	await using chat = startOnTerminal([], { home: home.path, env: drawn });
	for (const [question, typed] of [
		["How do you want to go on?", enter],
		...ownServer(service.url),
		["Which model?", enter],
		["model-a of custom answers", ""],
	] as const) {
		await chat.shows(question);
		chat.type(typed);
	}
	await chat.shows("Ready");
	chat.type("hi\r");
	await chat.shows("Hello from model-a");
});

test("the first conversation can show the demonstration, and Ctrl-C at the offer changes nothing", async () => {
	using home = temporaryFolder();
	await using chat = startOnTerminal([], { home: home.path, env: drawn });
	await chat.shows("How do you want to go on?");
	chat.type(`\x1b[B${enter}`);
	await chat.shows("a tape plays the model");
	expect(await chat.exitCode).toBe(0);

	await using other = startOnTerminal([], { home: home.path, env: drawn });
	await other.shows("How do you want to go on?");
	other.type(ctrlC);
	expect(await other.exitCode).toBe(130);
	expect(existsSync(join(home.path, ".hermes/config.yaml"))).toBe(false);
});
