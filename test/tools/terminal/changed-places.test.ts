/** Commands that may destroy files, and those that only look. */

import { describe, expect, test } from "bun:test";
import { changedPlaces } from "../../../lib/tools/terminal/changed-places.ts";

describe("changedPlaces()", () => {
	test.each([
		...["ls -la", "make 2>&1 | grep x", "echo 'a -> b' >/dev/null", "cat a >&2", "git status", "git log --merges"],
		...["tar czf a.tgz b", "sed s/a/b/ f", "find . -name '*.rm'", "grep -r rm .", "echo rm -rf /", "sort a", ""],
	])("changedPlaces() of %p is nothing", (command) => {
		expect(changedPlaces(command, "/desk/p")).toBeUndefined();
	});

	test.each([
		...["rm -rf build", "echo hi > out", "echo hi >> out", "cmd &> log", "tee a < b", "git rebase main", "mv a b"],
		...[
			"git -c x=y checkout .",
			"find . -delete",
			"find . -exec rm {} +",
			"ls | xargs rm",
			"bash -c 'sed -i s/a/b/ f'",
		],
		...["sudo env A=1 truncate -s 0 f", "f() { rm x; }; f", "tar xzf a.tgz", "echo $(rm x)", "perl -pi -e s/a/b/ f"],
		...["cat <<E > f\nx\nE", "if true; then unlink a; fi", "git stash", "dd of=f", `rm ${"x".repeat(70_000)}`],
	])("changedPlaces() of %p is its folder", (command) => {
		expect(changedPlaces(command, "/desk/p")).toEqual(["/desk/p/"]);
	});

	test.each([
		["cd /other && rm -f x", ["/other/"]],
		["cp a /srv/www/x", ["/desk/p/", "/srv/www/x"]],
		["rm ../q/x ~/y", ["/desk/p/", "/desk/q/x", "~/y"]],
		["git -C /other checkout .", ["/desk/p/", "/other"]],
		['rm "$UNKNOWN/x"', ["/desk/p/"]],
	])("changedPlaces() of %p names what is outside", (command, places) => {
		expect(changedPlaces(command, "/desk/p")).toEqual(places);
	});
});
