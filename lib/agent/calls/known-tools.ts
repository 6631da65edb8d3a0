/** What the model of a conversation can call. */

import type { Conversation } from "../conversation.ts";
import type { KnownTools } from "./repair-calls.ts";

/** As the list is now. */
export function knownTools({ options }: Pick<Conversation, "options">): KnownTools {
	const names = options.tools.map(({ name }) => name);
	return {
		names,
		// Without any list, who runs the calls knows what there is.
		has: (name) => names.length === 0 || names.includes(name) || options.knowsTool?.(name) === true,
	};
}
