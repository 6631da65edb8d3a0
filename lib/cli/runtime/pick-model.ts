/** Lets a person at a terminal pick a provider and one of its models. */

import { factsOf, type ModelChoice } from "./model-choices.ts";

/** Undefined when the person leaves. */
export async function pickModel(
	choices: readonly ModelChoice[],
): Promise<{ readonly provider: string; readonly model: string } | undefined> {
	const { autocomplete, isCancel, select } = await import("@clack/prompts");
	const names = [...new Set(choices.map(({ provider }) => provider))];
	const [only] = names;
	const provider =
		names.length === 1
			? only
			: await select({ message: "Provider", options: names.map((value) => ({ value, label: value })) });
	if (provider === undefined || isCancel(provider)) return undefined;
	const models = choices.filter((choice) => choice.provider === provider);
	const now = models.find(({ current }) => current)?.model;
	const model = await autocomplete({
		message: "Model",
		options: models.map((choice) => ({ value: choice.model, label: choice.model, hint: factsOf(choice) })),
		maxItems: 12,
		...(now !== undefined && { initialValue: now }),
	});
	return isCancel(model) || typeof model !== "string" ? undefined : { provider, model };
}
