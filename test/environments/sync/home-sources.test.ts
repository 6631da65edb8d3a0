/** What of a home is copied: which files with credentials are, and which are refused. */

import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { credentialFile, type HomeChoice, homeSources } from "../../../lib/environments/sync/home-sources.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { put } from "./far-place.ts";

function choice(home: string, more: Partial<HomeChoice> = {}): HomeChoice {
	return { home, externalSkills: [], credentials: [], cacheComesBack: true, skillsComeBack: false, ...more };
}

describe("credentialFile()", () => {
	test("takes regular files below the home, and nothing that leads out of it", () => {
		using folder = temporaryFolder();
		const home = join(folder.path, "home");
		put(join(home, "token.json"), "t");
		put(join(home, "google/token.json"), "t");
		put(join(folder.path, "outside"), "o");
		mkdirSync(join(home, "folder"));
		symlinkSync(join(folder.path, "outside"), join(home, "out.json"));
		symlinkSync(folder.path, join(home, "up"));
		symlinkSync("token.json", join(home, "inside.json"));
		symlinkSync("nowhere", join(home, "dangling.json"));
		const seen = (path: string) => credentialFile(home, path);
		expect(seen("token.json")).toEqual({ from: join(home, "token.json"), to: "token.json" });
		expect(seen("./google//x/../token.json")).toEqual({
			from: join(home, "google/token.json"),
			to: "google/token.json",
		});
		expect(seen("inside.json")).toEqual({ from: join(home, "token.json"), to: "inside.json" });
		const refused = {
			"/etc/passwd": "it is not below HERMES_HOME",
			"../outside": "it is not below HERMES_HOME",
			"google/../../outside": "it is not below HERMES_HOME",
			"C:\\token.json": "it is not below HERMES_HOME",
			"..": "it is not below HERMES_HOME",
			".": "it is not below HERMES_HOME",
			"": "it is not below HERMES_HOME",
			"out.json": "it leads out of HERMES_HOME",
			"up/outside": "it leads out of HERMES_HOME",
			"dangling.json": "it is not there",
			"gone.json": "it is not there",
			folder: "it is no regular file",
		};
		expect(Object.fromEntries(Object.keys(refused).map((path) => [path, seen(path)]))).toEqual(refused);
	});
});

describe("homeSources()", () => {
	test("has skills, memories and caches under the names of today; only the caches come back", () => {
		using folder = temporaryFolder();
		const home = folder.path;
		for (const name of ["image_cache/a", "document_cache/a", "cache/documents/a", "browser_screenshots/a"])
			put(join(home, name), "x");
		const { files, trees } = homeSources(choice(home, { externalSkills: ["/more"], credentials: ["gone.json"] }));
		expect(files).toEqual([]);
		expect(trees).toEqual([
			{ from: join(home, "skills"), to: "skills", comesBack: false },
			{ from: "/more", to: "external_skills/0", comesBack: false },
			{ from: join(home, "memories"), to: "memories", comesBack: false },
			{ from: join(home, "cache/documents"), to: "cache/documents", comesBack: true },
			{ from: join(home, "image_cache"), to: "cache/images", comesBack: true },
			{ from: join(home, "cache/audio"), to: "cache/audio", comesBack: true },
			{ from: join(home, "cache/videos"), to: "cache/videos", comesBack: true },
			{ from: join(home, "browser_screenshots"), to: "cache/screenshots", comesBack: true },
		]);
	});

	test("lets nothing come back, or skills too, when told so", () => {
		const back = (more: Partial<HomeChoice>) =>
			homeSources(choice("/none", more)).trees.flatMap(({ to, comesBack }) => (comesBack ? [to] : []));
		expect(back({ cacheComesBack: false })).toEqual([]);
		expect(back({ skillsComeBack: true })[0]).toBe("skills");
	});
});
