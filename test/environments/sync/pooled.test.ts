/** Sync in the pool: files are there before commands, and come back before the sandbox goes. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createPool } from "../../../lib/environments/pool/pool.ts";
import { homeSources } from "../../../lib/environments/sync/home-sources.ts";
import { breakableBackend } from "../../support/breakable-backend.ts";
import { plainEnvironment } from "../../support/local-sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { put, signal, textOf, withEnvironment } from "./far-place.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** A pool on a backend whose sandboxes have a home in `far`. */
function openPooled() {
	const folder = temporaryFolder();
	const [home, far] = [join(folder.path, "home"), join(folder.path, "far")];
	put(join(home, "skills/a.md"), "skill", 60);
	put(join(home, "cache/documents/d.txt"), "ours", 60);
	put(join(far, "here"), "");
	const place = breakableBackend("box", { isOneHost: true });
	const environment = { ...plainEnvironment, HOME: far };
	const backend = {
		...place.backend,
		files: "sync" as const,
		open: async (...args: Parameters<typeof place.backend.open>) => {
			const sandbox = await place.backend.open(...args);
			const close = () => sandbox[Symbol.asyncDispose]();
			return { ...withEnvironment(sandbox, environment), [Symbol.asyncDispose]: close };
		},
	};
	const target = { backend, config: {}, cwd: "/tmp", environment };
	const choice = { home, externalSkills: [], credentials: [], cacheComesBack: true, skillsComeBack: false };
	const warnings: string[] = [];
	let pass = () => {};
	const pool = createPool({
		target,
		targetFor: async () => target,
		isPinned: false,
		lifetimeSeconds: 300,
		context: { home, hostEnvironment: plainEnvironment },
		onWarning: (line) => warnings.push(line),
		sync: { sources: () => homeSources(choice), userHome: folder.path },
		clock: {
			after(_, action) {
				pass = action;
				return { [Symbol.dispose]: () => {} };
			},
		},
	});
	return {
		place,
		pool,
		warnings,
		home,
		far,
		say: async (command: string) => pool.shell("").execute(command, { signal, timeoutSeconds: 60 }),
		becomesIdle: () => pass(),
		async [Symbol.asyncDispose]() {
			await pool[Symbol.asyncDispose]();
			folder[Symbol.dispose]();
		},
	};
}

const change = 'cat "$HOME/.hermes/skills/a.md"; echo theirs >"$HOME/.hermes/cache/documents/d.txt"';

describe.concurrent("a pool with files to bring", () => {
	test("brings them before the first command, and takes them back before an idle sandbox is closed", async () => {
		await using pooled = openPooled();
		expect(await pooled.say(change)).toMatchObject({ output: "skill", exitCode: 0 });
		pooled.becomesIdle();
		while (pooled.place.events.length < 2) await Bun.sleep(5);
		expect(textOf(join(pooled.home, "cache/documents/d.txt"))).toBe("theirs\n");
		expect(await pooled.say('cat "$HOME/.hermes/cache/documents/d.txt"')).toMatchObject({ output: "theirs\n" });
		expect(pooled.place.events).toEqual(["open default", "close default", "open default"]);
		expect(pooled.warnings).toEqual([]);
	});

	test("asks a broken sandbox for nothing, and gets what it has from the next one", async () => {
		await using pooled = openPooled();
		await pooled.say(change);
		await pooled.say('echo made >"$HOME/.hermes/cache/documents/made.txt"');
		pooled.place.breakdown = "cable";
		const failed = pooled.say("true");
		expect(failed).rejects.toThrow("cable");
		await failed.catch(() => undefined);
		while (pooled.place.events.length < 2) await Bun.sleep(5);
		expect(textOf(join(pooled.home, "cache/documents/d.txt"))).toBe("ours");
		pooled.place.breakdown = undefined;
		await pooled.say("true");
		await pooled.pool[Symbol.asyncDispose]();
		expect(textOf(join(pooled.home, "cache/documents/d.txt"))).toBe("theirs\n");
		expect(textOf(join(pooled.home, "cache/documents/made.txt"))).toBe("made\n");
		expect(pooled.warnings).toEqual([]);
	});

	test("says with the next command, once, that they could not be brought", async () => {
		await using pooled = openPooled();
		put(join(pooled.far, ".hermes"), "a file where the folder should be");
		const first = await pooled.say("echo ran");
		const second = await pooled.say("echo ran");
		const warning = expect.stringMatching(/^sync warning: files of this machine were not copied to box/);
		expect([first.output, first.fileWarning, second.fileWarning]).toEqual(["ran\n", warning, undefined]);
		expect(pooled.warnings).toEqual([warning]);
	});
});
