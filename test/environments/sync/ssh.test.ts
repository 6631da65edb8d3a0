/** Sync over a real sshd: what travels when, a line that is cut, archives of somebody hostile, two at once. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { withRelay } from "../../../lib/environments/relay/relay-sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { hasSsh, openSsh, type SshPlace, saidBy, serviceAccount } from "../ssh/ssh-service.ts";
import { tcpProxy } from "../ssh/tcp-proxy.ts";
import { oneTree, openSyncPlace, put, type SyncOptions, type SyncPlace, signal, textOf } from "./far-place.ts";
import { archive, file, linkTo } from "./hostile-archive.ts";

setDefaultTimeout(60_000);

/** Folders of 50 files each, half of them a level deeper. */
function fillTree(folder: string, count: number): void {
	for (let index = 0; index < count; index++) {
		const deep = index % 2 === 0 ? "references/" : "";
		put(join(folder, `skill-${Math.floor(index / 50)}/${deep}${index}.md`), `file ${index}\n`.repeat(80), 3600);
	}
}

describe.skipIf(!(await hasSsh()))("over ssh", () => {
	let plain: SshPlace;
	let relayed: Sandbox;
	beforeAll(async () => {
		plain = await openSsh();
		const opened = await openSsh();
		relayed = await withRelay(opened.sandbox, { signal, onFallback: (line) => expect.unreachable(line) });
	});
	afterAll(async () => {
		await relayed[Symbol.asyncDispose]();
		await plain[Symbol.asyncDispose]();
	});

	/** A sync with a home of the remote user's own. */
	async function openFar(sandbox: Sandbox, options: SyncOptions = {}): Promise<SyncPlace> {
		const far = (await saidBy(plain.sandbox, "mktemp -d")).trim();
		await saidBy(plain.sandbox, `chmod 755 ${far}; mkdir ${far}/bin`);
		const place = await openSyncPlace({ ...options, sandbox, far });
		return {
			...place,
			get clockMs() {
				return place.clockMs;
			},
			set clockMs(value) {
				place.clockMs = value;
			},
			async [Symbol.asyncDispose]() {
				await saidBy(plain.sandbox, `rm -rf ${far}`);
				await place[Symbol.asyncDispose]();
			},
		};
	}

	test.each(["with a relay", "without one"])(
		"%s: of 5,000 files all travel, then the three that changed, and in a new run none",
		async (how) => {
			using source = temporaryFolder();
			chmodSync(source.path, 0o755);
			fillTree(source.path, 5_000);
			await using place = await openFar(how === "with a relay" ? relayed : plain.sandbox, {
				sources: oneTree(source.path),
			});
			const first = await place.sync.push(signal);
			expect(first.is === "pushed" && first.sent.length).toBe(5_000);
			const compare = `diff -r ${source.path} ${place.base}/skills && find ${place.base}/skills -type f | wc -l`;
			expect(await saidBy(plain.sandbox, compare)).toBe("5000\n");
			const changed = ["skill-0/1.md", "skill-50/references/2500.md", "skill-99/4999.md"];
			for (const name of changed) put(join(source.path, name), `new ${name}`);
			place.clockMs += 5_000;
			const second = await place.sync.push(signal);
			if (second.is !== "pushed") throw new Error("nothing was pushed");
			expect({ sent: [...second.sent].sort(), deleted: second.deleted }).toEqual({
				sent: changed.map((name) => `skills/${name}`).sort(),
				deleted: [],
			});
			expect(second.bytes).toBeLessThan(10_000);
			expect(await saidBy(plain.sandbox, compare)).toBe("5000\n");
			expect(await place.again().push(signal)).toEqual({ is: "pushed", sent: [], deleted: [], bytes: 0 });
		},
	);

	test("a line that is cut in the middle of a push leaves what was there, and the push is repeated", async () => {
		await using proxy = await tcpProxy(serviceAccount().port);
		await using through = await openSsh({
			account: { ...serviceAccount(), port: proxy.port },
			config: "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n",
		});
		using source = temporaryFolder();
		chmodSync(source.path, 0o755);
		fillTree(source.path, 1_000);
		await using place = await openFar(through.sandbox, { sources: oneTree(source.path) });
		await place.sync.push(signal);
		for (let index = 0; index < 1_000; index++) {
			put(
				join(source.path, `skill-${Math.floor(index / 50)}/${index % 2 === 0 ? "references/" : ""}${index}.md`),
				`new ${index}`.repeat(200),
			);
		}
		await saidBy(
			plain.sandbox,
			`cat >${place.far}/bin/tar <<'X'
#!/bin/sh
{ head -c 700000; touch "$HOME/half"; sleep 30; } | /bin/tar "$@"
X
chmod 755 ${place.far}/bin/tar`,
		);
		place.clockMs += 5_000;
		const pushing = place.sync.push(signal);
		while (!existsSync(join(place.far, "half"))) await Bun.sleep(10);
		proxy.cut();
		expect(await pushing).toMatchObject({ is: "failed" });
		expect(place.sync.takeWarning()).toStartWith("sync warning: files of this machine were not copied to ssh:");
		const old = `grep -rlE '^file' ${place.base}/skills | wc -l; grep -rl new ${place.base}/skills | wc -l`;
		expect(await saidBy(plain.sandbox, old)).toBe("1000\n0\n");
		await saidBy(plain.sandbox, `rm ${place.far}/bin/tar`);
		place.clockMs += 5_000;
		const repeated = await place.sync.push(signal);
		expect(repeated.is === "pushed" && repeated.sent.length).toBe(1_000);
		expect(await saidBy(plain.sandbox, `diff -r ${source.path} ${place.base}/skills && echo same`)).toBe("same\n");
	});

	test("what a hostile host sends changes nothing outside of the caches (R149, R151)", async () => {
		await using place = await openFar(plain.sandbox, { credentials: ["token.json"] });
		const { home } = place;
		put(join(home, "token.json"), "t");
		put(join(home, "config.yaml"), "approvals: {mode: ask}");
		put(join(home, "cache/documents/d.txt"), "d", 60);
		await place.sync.push(signal);
		const bytes = archive(
			linkTo("cache/documents", "/"),
			file("config.yaml", "approvals: {mode: off}"),
			file("cache/documents/../../.env", "x"),
			file("token.json", "evil"),
			file("skills/evil/SKILL.md", "evil"),
			file("cache/documents/d.txt", "honest"),
		);
		using here = temporaryFolder();
		chmodSync(here.path, 0o755);
		writeFileSync(join(here.path, "a.tar"), bytes);
		await saidBy(
			plain.sandbox,
			`cd ${place.far}; echo changed >.hermes/cache/documents/d.txt; cp ${here.path}/a.tar .; mkdir -p .hermes/skills/evil; echo x >.hermes/skills/evil/SKILL.md
printf '#!/bin/sh\\ncat "$HOME/a.tar"\\n' >bin/tar; chmod 755 bin/tar`,
		);
		// The test's tar answers every call alike.
		await saidBy(plain.sandbox, `sed -i '2s/^/[ "$2" = - ] || exit 0; /' ${place.far}/bin/tar`);
		expect(await place.sync.pull()).toMatchObject({ is: "back", written: [join(home, "cache/documents/d.txt")] });
		const names = readdirSync(home, { recursive: true, encoding: "utf8" }).sort();
		expect(names).toEqual([
			".sync.lock",
			"cache",
			"cache/documents",
			"cache/documents/d.txt",
			"config.yaml",
			"token.json",
		]);
		expect([textOf(join(home, "config.yaml")), textOf(join(home, "token.json"))]).toEqual([
			"approvals: {mode: ask}",
			"t",
		]);
	});

	test("two runs that push and pull at once leave both sides whole", async () => {
		await using place = await openFar(relayed);
		put(join(place.home, "cache/documents/d.txt"), "d", 60);
		fillTree(join(place.home, "skills"), 200);
		// The remote user compares both sides.
		chmodSync(place.home, 0o755);
		const runs = [place.sync, place.again(), place.again()];
		const pushes = await Promise.all(runs.map((run) => run.push(signal)));
		expect(pushes.map(({ is }) => is)).toEqual(["pushed", "pushed", "pushed"]);
		expect(
			await saidBy(
				plain.sandbox,
				`diff -r ${place.home}/skills ${place.base}/skills; ls -A ${place.base}/.sync | wc -l`,
			),
		).toBe("1\n");
		await saidBy(plain.sandbox, `echo changed >${place.base}/cache/documents/d.txt`);
		const backs = await Promise.all(runs.map((run) => run.pull()));
		expect(backs.map((back) => back.is === "back" && back.beside)).toEqual([[], [], []]);
		expect(readdirSync(join(place.home, "cache/documents"))).toEqual(["d.txt"]);
		expect(textOf(join(place.home, "cache/documents/d.txt"))).toBe("changed\n");
		rmSync(join(place.home, ".sync.lock"));
	});
});
