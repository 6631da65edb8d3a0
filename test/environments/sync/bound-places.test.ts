/** Skills, caches and credentials in containers: mounted read-only, without links, the same at every start. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { lstatSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { boundPlaces } from "../../../lib/environments/sync/bound-places.ts";
import { homeSources } from "../../../lib/environments/sync/home-sources.ts";
import { requireService, serviceVariable } from "../../support/required-service.ts";
import { runHermes } from "../../support/run-hermes.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { put, textOf } from "./far-place.ts";

setDefaultTimeout(120_000);

describe("boundPlaces()", () => {
	const places = (home: string, credentials: readonly string[] = []) =>
		boundPlaces(
			homeSources({ home, externalSkills: ["/no:such"], credentials, cacheComesBack: true, skillsComeBack: false }),
			home,
		);

	test("has every folder, also those that were missing, and single files", () => {
		using folder = temporaryFolder();
		const home = folder.path;
		put(join(home, "token.json"), "t");
		const before = places(home, ["token.json", "gone.json"]);
		const names = ["skills", "memories", "cache/documents", "cache/images", "cache/audio", "cache/videos"];
		expect(before).toEqual(
			[...names, "cache/screenshots", "token.json"].map((name) => ({
				from: join(home, name),
				to: `/root/.hermes/${name}`,
			})),
		);
		put(join(home, "skills/a/SKILL.md"), "a");
		expect(places(home, ["token.json", "gone.json"])).toEqual(before);
	});

	test("shows a copy of a folder with links in it, and keeps it up to date in its place", () => {
		using folder = temporaryFolder();
		const home = folder.path;
		put(join(home, "skills/a/SKILL.md"), "a", 60);
		put(join(home, "skills/b/SKILL.md"), "b", 60);
		symlinkSync("/etc/passwd", join(home, "skills/a/passwd"));
		const copy = join(home, "sandboxes/without-links/skills");
		expect(places(home)[0]).toEqual({ from: copy, to: "/root/.hermes/skills" });
		const { ino } = lstatSync(copy);
		put(join(home, "skills/a/SKILL.md"), "a2");
		rmSync(join(home, "skills/b"), { recursive: true });
		put(join(copy, "stray"), "x");
		symlinkSync("/etc", join(copy, "stray-link"));
		places(home);
		expect(readdirSync(copy, { recursive: true, encoding: "utf8" }).sort()).toEqual(["a", "a/SKILL.md"]);
		expect(textOf(join(copy, "a/SKILL.md"))).toBe("a2");
		expect(lstatSync(copy).ino).toBe(ino);
	});
});

const variables: Readonly<Record<string, () => Record<string, string>>> = {
	docker: () => ({
		DOCKER_HOST: serviceVariable("DOCKER_HOST"),
		TERMINAL_DOCKER_IMAGE: serviceVariable("HERMES_TEST_DOCKER_IMAGE"),
		TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES: "false",
	}),
	singularity: () => ({ TERMINAL_SINGULARITY_IMAGE: serviceVariable("HERMES_TEST_APPTAINER_IMAGE") }),
};

for (const backend of ["docker", "singularity"]) {
	const run = (home: string, command: string) =>
		runHermes(["exec", "--backend", backend, command], {
			home,
			env: { ...variables[backend]?.(), TERMINAL_CONTAINER_PERSISTENT: "false" },
		});
	const isThere = await requireService(backend, async () => {
		using home = temporaryFolder();
		const ran = await run(home.path, "true");
		if (ran.exitCode !== 0) throw new Error(ran.stderr.trim());
	});
	test.skipIf(!isThere)(
		`${backend}: commands see skills, caches and credentials, and can change none of them (R151)`,
		async () => {
			using folder = temporaryFolder();
			const home = join(folder.path, ".hermes");
			put(join(home, "skills/a/SKILL.md"), "skill\n");
			symlinkSync("/etc/passwd", join(home, "skills/a/link"));
			put(join(home, "cache/documents/d.txt"), "document\n");
			put(join(home, "token.json"), "token\n");
			put(join(home, "config.yaml"), "terminal:\n  credential_files: [token.json]\n");
			const script = `cd /root/.hermes; find . -type f -o -type l | sort; cat token.json skills/a/SKILL.md cache/documents/d.txt
for file in token.json skills/a/SKILL.md cache/documents/new; do (echo evil >>$file) 2>/dev/null && echo "wrote $file"; done; true`;
			expect(await run(folder.path, script)).toMatchObject({
				stdout: "./cache/documents/d.txt\n./skills/a/SKILL.md\n./token.json\ntoken\nskill\ndocument\n",
				exitCode: 0,
			});
			expect([textOf(join(home, "token.json")), textOf(join(home, "skills/a/SKILL.md"))]).toEqual([
				"token\n",
				"skill\n",
			]);
		},
	);
}
