/** Writes tar archives: small pieces are gathered, so that thousands of small files are few large chunks. */

import { padding, type TarMember, tarEnd, tarHeader } from "./header.ts";

/** Chunks become about this large. */
const chunkBytes = 256 * 1024;

/** A file to write; its content has exactly `size` bytes. */
export interface TarContent extends TarMember {
	readonly content: Uint8Array | Iterable<Uint8Array>;
}

/** The archive of `members`, as it is read. @throws {Error} When a content is shorter or longer than it was said to be. */
export function* writeTar(members: Iterable<TarContent>): Generator<Uint8Array> {
	let gathered: Uint8Array[] = [];
	let bytes = 0;
	const gather = (part: Uint8Array) => {
		gathered.push(part);
		bytes += part.length;
	};
	const take = () => {
		const chunk = Buffer.concat(gathered);
		gathered = [];
		bytes = 0;
		return chunk;
	};
	for (const member of members) {
		gather(tarHeader(member));
		let left = member.size;
		for (const part of partsOf(member)) {
			left -= part.length;
			gather(part);
			if (bytes >= chunkBytes) yield take();
		}
		if (left !== 0) throw new Error(`Cannot archive "${member.name}": it changed while it was read`);
		gather(padding(member.size));
		if (bytes >= chunkBytes) yield take();
	}
	gather(tarEnd());
	yield take();
}

function partsOf({ content }: TarContent): Iterable<Uint8Array> {
	return content instanceof Uint8Array ? [content] : content;
}
