/** Lines whose blanks differ. */

import { block, defineFuzzyBench } from "./large-text.ts";

export default defineFuzzyBench("lines with other blanks", block.join("\n").replaceAll(" = ", "  =  "));
