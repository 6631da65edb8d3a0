/** What a rule is given and what it gives. */

import type { Sight } from "../shell/sight.ts";
import type { Danger } from "./categories.ts";

/** Where commands run; unknown parts are left out. */
export interface DangerPlace {
	readonly home: string | undefined;
	readonly hermesHome: string | undefined;
}

/** The dangers of one program, seen in its place. */
export type Rule = (sight: Sight, place: DangerPlace) => Danger[];

/** Rules by the lower-case basename of a program. */
export type Rules = Readonly<Record<string, Rule>>;
