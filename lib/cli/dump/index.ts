/** `hermes dump`: one text for a report of a fault, without secrets. */

import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

export default defineAction({
	summary: "Print what a report of a fault should have in it; secrets are masked",
	details:
		"Version, machine, settings that are not the default, and what hermes doctor found. Read it before you send it.",
	flags: jsonFlag,

	async run({ flags: { json } }, cli) {
		const [{ gatherStatus }, { examine }, { openConfig }, { shownSettings }, { attemptAsync }] = await Promise.all([
			import("../status/gather.ts"),
			import("../doctor/examine.ts"),
			import("../config/open-config.ts"),
			import("../config/shown-settings.ts"),
			import("../../base/attempt.ts"),
		]);
		const config = await attemptAsync(() => openConfig(cli));
		const settings = config.ok
			? shownSettings(config.value, undefined, { forOthers: true }).filter(({ origin }) => origin !== "default")
			: [];
		const findings = (await examine(cli)).map(({ section, name, status, detail }) => ({
			section,
			name,
			status,
			detail,
		}));
		const report = { status: await gatherStatus(cli), settings, findings };
		// What stands in values and paths is masked by what it looks like too.
		const { createRedactor } = await import("../../security/redact.ts");
		const redact = createRedactor(config.ok ? config.value.secrets : []);
		const lines = [
			...Object.entries(report.status).map(([key, value]) => `${key}: ${textOf(value)}`),
			"",
			...settings.map(({ key, value, origin }) => `${key} = ${textOf(value)}  (${origin})`),
			"",
			...findings.map(({ section, name, status, detail }) => `${status} ${section}/${name}: ${detail}`),
		];
		cli.stdout.write(redact(json ? `${JSON.stringify(report, null, 2)}\n` : `${lines.join("\n")}\n`));
		return exitCodes.ok;
	},
});

function textOf(value: unknown): string {
	return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
