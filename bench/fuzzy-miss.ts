/** Ten lines that are not there and look like all others. */

import { defineFuzzyBench } from "./large-text.ts";

const asked = Array.from({ length: 10 }, (_, index) => `\tconst valux${index} = complete(${index}, nothing, "texts");`);

export default defineFuzzyBench("lines that are not there", asked.join("\n"));
