/** What file tools say where their user may not go; root is told nothing, so that the scripts run as somebody else. */

import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { patchFiles } from "../../lib/files/patch-files.ts";
import type { FilePlace } from "../../lib/files/place.ts";
import { readPage } from "../../lib/files/read.ts";
import { search } from "../../lib/files/search.ts";
import { writeFile } from "../../lib/files/write.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const isRoot = process.getuid?.() === 0;
const setpriv = Bun.which("setpriv");
const somebody = isRoot ? [setpriv ?? "", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];

function placeOfSomebody(cwd: string, home: string): FilePlace {
	return {
		async execute(command, options) {
			const child = Bun.spawn([...somebody, "sh", "-c", command], {
				cwd,
				env: { HOME: home, PATH: "/usr/bin:/bin" },
				stdin: new Blob([options?.stdin ?? ""]),
				stdout: "pipe",
				stderr: "ignore",
			});
			const output = await new Response(child.stdout).text();
			return { output, exitCode: await child.exited, ended: "exited", cwd, ranOn: "test" };
		},
	};
}

test.skipIf(isRoot && setpriv === null)("file tools name a want of permission, and no temporary file", async () => {
	using folder = temporaryFolder();
	const [closed, fixed, home] = ["closed", "fixed", "home"].map((name) => join(folder.path, name)) as [
		string,
		string,
		string,
	];
	for (const made of [closed, fixed, home]) mkdirSync(made);
	writeFileSync(join(closed, "x"), "needle\n");
	writeFileSync(join(fixed, "f"), "one\n");
	chmodSync(join(fixed, "f"), 0o666);
	for (const [path, mode] of [
		[folder.path, 0o755],
		[closed, 0],
		[fixed, 0o555],
		[home, 0o777],
	] as const)
		chmodSync(path, mode);
	const place = placeOfSomebody(folder.path, home);
	const through = "its path leads through a folder that may not be entered: permission denied";
	const made = `no file can be made in ${fixed}: permission denied`;
	const request = { mode: "content", pattern: "needle", glob: undefined, wanted: 9, context: 0 } as const;
	const update = `*** Begin Patch\n*** Update File: fixed/f\n-one\n+two\n*** End Patch`;
	expect({
		read: await readPage(place, { path: "closed/sub/x", offset: 1, limit: 9 }),
		write: await writeFile(place, "closed/x", "new\n"),
		patch: await patchFiles(place, update.replace("fixed/f", "closed/x")),
		searchFile: await search(place, { ...request, path: "closed/x" }),
		searchFolder: await search(place, { ...request, path: "closed" }),
		writeFixed: await writeFile(place, "fixed/f", "new\n"),
		patchFixed: await patchFiles(place, update),
	}).toEqual({
		read: { ok: false, error: `Cannot read "closed/sub/x": ${through}` },
		write: { ok: false, error: `Cannot write "closed/x": ${through}` },
		patch: {
			ok: false,
			error: `Cannot apply the patch: it does not fit the files, and no file was changed\n- line 2 of the patch: "closed/x": ${through}`,
			details: { error_class: "validate", error_code: "refused" },
		},
		searchFile: { ok: false, error: `Cannot search "closed/x": ${through}` },
		searchFolder: { ok: false, error: 'Cannot search "closed": permission denied' },
		writeFixed: { ok: false, error: `Cannot write "fixed/f": ${made}; the old content is untouched` },
		patchFixed: { ok: false, error: `Cannot apply the patch: ${made}; no file was changed`, details: {} },
	});
	for (const folder of [closed, fixed]) chmodSync(folder, 0o755);
	expect([readdirSync(fixed), readFileSync(join(fixed, "f"), "utf8"), readFileSync(join(closed, "x"), "utf8")]).toEqual(
		[["f"], "one\n", "needle\n"],
	);
});
