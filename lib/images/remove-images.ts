/** Takes images out of a home that nothing refers to any more. */

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../base/attempt.ts";
import { imagesFolder } from "./image-store.ts";

/** An image may be attached to a question that is not asked yet. */
const draftMs = 86_400_000;

/** Hashes of the images of a home; `drafts` left out are those that were kept in the last day. */
export function keptImages(home: string, { drafts }: { readonly drafts: boolean }): readonly string[] {
	const folder = join(home, imagesFolder);
	const names = attempt(() => readdirSync(folder));
	if (!names.ok) return [];
	return names.value.flatMap((name) => {
		const hash = /^([0-9a-f]{64})\.(?:png|jpg|gif|webp)$/.exec(name)?.[1];
		const stats = hash === undefined ? undefined : statSync(join(folder, name), { throwIfNoEntry: false });
		if (hash === undefined || stats === undefined) return [];
		return drafts || stats.mtimeMs < Date.now() - draftMs ? [hash] : [];
	});
}

/** Removes the files of these images; one that is not there is no error. */
export function removeImages(home: string, hashes: Iterable<string>): void {
	for (const hash of hashes) {
		for (const extension of ["png", "jpg", "gif", "webp"]) {
			rmSync(join(home, imagesFolder, `${hash}.${extension}`), { force: true });
		}
	}
}
