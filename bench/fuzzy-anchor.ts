/** Lines of which one has a slip. */

import { block, defineFuzzyBench } from "./large-text.ts";

export default defineFuzzyBench(
	"lines with a slip",
	block.map((line, index) => (index === 2 ? line.replace("compute", "computr") : line)).join("\n"),
);
