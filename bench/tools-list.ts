/** How long the executable takes to load and list every tool. */

import { defineBench } from "./bench.ts";
import { compareWithHello } from "./compiled-binaries.ts";

export default defineBench({
	operation: "hermes tools list",
	floor: "a compiled program that prints one word",
	samples: 60,
	target: 10,
	open: () => compareWithHello(["tools", "list"]),
});
