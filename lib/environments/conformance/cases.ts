/** Every promise that a backend keeps, in the order in which they are worth reading. */

import { endingCases } from "./cases/ending.ts";
import { folderCases } from "./cases/folder.ts";
import { outputCases } from "./cases/output.ts";
import { stateCases } from "./cases/state.ts";
import { textCases } from "./cases/text.ts";
import type { ConformanceCase } from "./conformance-case.ts";

/** The suite. */
export const conformanceCases: readonly ConformanceCase[] = [
	...outputCases,
	...stateCases,
	...folderCases,
	...textCases,
	...endingCases,
];
