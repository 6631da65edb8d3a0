/** The first push of 5,000 small files over ssh, against rsync; against scp it is measured by `file-sync-scp`. */

import { defineBench } from "./bench.ts";
import { openFileSync } from "./synced.ts";

export default defineBench({
	operation: "first push of 5,000 files of 1.5 KB over ssh",
	floor: "rsync -a",
	samples: 5,
	target: 1.3,

	async open() {
		const place = await openFileSync();
		return {
			operation: () => place.push(),
			floor: () => place.runClient("rsync"),
			[Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
		};
	},
});
