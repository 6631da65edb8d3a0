/** How long the executable takes to say its version. */

import { defineBench } from "./bench.ts";
import { compareWithHello } from "./compiled-binaries.ts";

export default defineBench({
	operation: "hermes --version",
	floor: "a compiled program that prints one word",
	samples: 60,
	target: 1.5,
	open: () => compareWithHello(["--version"]),
});
