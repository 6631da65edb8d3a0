/** The first conversation of a hermes that nobody has set up: it offers what would make it work, and never chooses by itself. */

import { findLocalServer, localServers } from "../../providers/local-servers.ts";
import { exitCodes } from "../exit-codes.ts";
import { providerWithKey } from "../runtime/find-provider.ts";
import { openSettings, type SettingFlags } from "../runtime/settings.ts";
import type { Cli } from "../subcommand.ts";
import { saveSettings } from "./save.ts";
import { frame, LeftSetup, pick } from "./wizard.ts";

/** Whether nothing says who should answer. */
export async function lacksProvider(cli: Cli, flags: SettingFlags): Promise<boolean> {
	const { get, variables } = await openSettings(cli, flags);
	const isNamed = !["", "auto"].includes(get("model.provider")) || get("model.base_url") !== "";
	return !isNamed && (await providerWithKey(cli, { variables, home: cli.environment.hermesHome })) === undefined;
}

/** What the user chose: `ready` goes on with the conversation, a number is the exit code of what was done instead. */
export async function offerSetup(cli: Cli): Promise<"ready" | number> {
	const found = await Promise.all(localServers.map(({ name }) => findLocalServer(name)));
	const servers = found.filter((server) => server !== undefined).filter(({ models }) => models.length > 0);
	await frame("intro", "hermes does not know yet who should answer");
	try {
		const chosen = await pick("How do you want to go on?", [
			...servers.map(({ name, models: [model = ""] }) => ({
				value: name,
				label: `Use ${name} on this machine`,
				hint: model,
			})),
			{ value: "setup", label: "Set it up", hint: "a key, an address, a model: two minutes" },
			{ value: "demo", label: "See it work without a model", hint: "hermes demo" },
		]);
		if (chosen === "setup") {
			const { runSetup } = await import("./run-setup.ts");
			const code = await runSetup(cli, ["model"]);
			return code === exitCodes.ok ? "ready" : code;
		}
		if (chosen === "demo") {
			const { runDemo } = await import("../demo/run-demo.ts");
			return await runDemo({ backend: undefined, keep: false, cassette: undefined }, cli);
		}
		const [model = ""] = servers.find(({ name }) => name === chosen)?.models ?? [];
		await saveSettings(cli, [
			["model.provider", chosen],
			["model.default", model],
		]);
		await frame("outro", `${model} of ${chosen} answers; hermes model chooses another`);
		return "ready";
	} catch (error) {
		if (!(error instanceof LeftSetup)) throw error;
		await frame("cancel", "Nothing was changed; hermes setup asks again");
		return exitCodes.interrupted;
	}
}
