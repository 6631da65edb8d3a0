/** The first push of 5,000 small files over ssh, against scp. */

import { defineBench } from "./bench.ts";
import { openFileSync } from "./synced.ts";

export default defineBench({
	operation: "first push of 5,000 files of 1.5 KB over ssh",
	floor: "scp -r",
	samples: 3,
	target: 0.2,

	async open() {
		const place = await openFileSync();
		return {
			operation: () => place.push(),
			floor: () => place.runClient("scp"),
			[Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
		};
	},
});
