/** Decides whose Modal account a sandbox is in: the user's own, or the one behind the tool gateway. */

import type { ModalSettings } from "./settings.ts";

/** What can be used here: `true`, or one sentence with the reason why not. */
export interface ModalChoices {
	readonly mode: ModalSettings["modal_mode"];
	direct(): true | string;
	/** Cheap: it looks at the token, refreshes nothing and asks nobody. */
	managed(): Promise<true | string>;
}

/** The mode to use, or why none can be. */
export type ChosenMode = { readonly use: "direct" | "managed" } | { readonly use: "none"; readonly reason: string };

/** A mode that the user named is never replaced by the other one. */
export async function chooseMode({ mode, direct, managed }: ModalChoices): Promise<ChosenMode> {
	if (mode === "direct") return chosen(mode, direct());
	const gateway = await managed();
	if (mode === "managed" || gateway === true) return chosen("managed", gateway);
	const own = direct();
	if (own === true) return { use: "direct" };
	return { use: "none", reason: `${own}; and the tool gateway cannot be used: ${gateway}` };
}

function chosen(use: "direct" | "managed", verdict: true | string): ChosenMode {
	return verdict === true ? { use } : { use: "none", reason: verdict };
}
