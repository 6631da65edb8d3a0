/** Changes that hardly ever mean the file they name. */

import { describe, expect, test } from "bun:test";
import { softRefusal } from "../../lib/security/soft-guards.ts";

const folders = { home: "/home/ann", hermesHome: "/home/ann/.hermes/profiles/desk" };
const main = { home: "/home/ann", hermesHome: "/home/ann/.hermes" };
const container = { home: "/root", hermesHome: "/root/.hermes" };

describe("softRefusal()", () => {
	test.each([
		[
			"/home/ann/.hermes/profiles/play/skills/a/SKILL.md",
			folders,
			"local",
			"the profile in /home/ann/.hermes/profiles/play",
		],
		["/home/ann/.hermes/memories/USER.md", folders, "local", "the profile in /home/ann/.hermes,"],
		["/home/ann/.hermes/profiles/desk/cron/jobs.json", main, "local", "the profile in /home/ann/.hermes/profiles/desk"],
		["/home/ann/.hermes/plugins/x", { ...main, hermesHome: "/srv/h" }, "local", "the profile in /home/ann/.hermes,"],
		[
			"/srv/h/sandboxes/docker/default/home/.hermes/skills/x",
			{ ...main, hermesHome: "/srv/h" },
			"local",
			"hermes reads /srv/h",
		],
		["/root/.hermes/skills/x", container, "docker:4f2a", "in the home of the sandbox"],
		[
			"/root/.hermes/config.yaml",
			{ home: "/home/u", hermesHome: "/home/u/.hermes" },
			"singularity:x",
			"in the home of the sandbox",
		],
	])("refuses %s", (...[path, places, ranOn, why]) => {
		const refusal = softRefusal(path, places, ranOn) ?? "";
		expect([refusal.includes(why), refusal.includes("cross_profile")]).toEqual([true, true]);
	});

	test.each([
		["/home/ann/.hermes/profiles/desk/skills/a", folders, "local"],
		["/home/ann/.hermes/skills/a", main, "local"],
		["/home/ann/.hermes-old/skills/a", folders, "local"],
		["/home/ann/.hermes/profiles/play/notes", folders, "local"],
		["/home/ann/project/sandboxes/home/.hermes/x", main, "local"],
		["/home/ann/.hermes/skills-evil/a", folders, "local"],
		["/workspace/a", container, "docker:4f2a"],
		["/root/.hermes/skills/a", container, "ssh:root@box"],
	])("lets %s be changed", (path, places, ranOn) => {
		expect(softRefusal(path, places, ranOn)).toBeUndefined();
	});
});
