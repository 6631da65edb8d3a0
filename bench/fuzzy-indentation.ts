/** Lines whose indents differ. */

import { block, defineFuzzyBench } from "./large-text.ts";

export default defineFuzzyBench("lines with other indents", block.map((line) => line.trim()).join("\n"));
