/** Which backends can be used here, and why the others cannot. */

import { attemptAsync } from "../../base/attempt.ts";
import { loadPlugins } from "../../base/plugins.ts";
import { describeOrigin, type LoadedConfig } from "../../config/load.ts";
import { backendRefusal } from "../../config/policy-limits.ts";
import type { Backend } from "../../environments/backend.ts";
import { isPinned } from "../runtime/open-place.ts";
import { backendSettings } from "../runtime/settings.ts";
import type { Cli } from "../subcommand.ts";
import type { Finding } from "./finding.ts";

const section = "backends";

/** A backend that does not answer for this long is as good as none. */
const answerLimitMs = 10_000;

/** A line for every backend; only the one in use can be broken. */
export async function examineBackends(cli: Cli, config: LoadedConfig): Promise<Finding[]> {
	const setting = config.find("terminal.backend");
	const used = String(setting?.value);
	const { loaded, failures } = await loadPlugins(cli.plugins.backends);
	const known = await Promise.all([...loaded.values()].map((backend) => findingOf(cli, config, { backend, used })));
	const broken = failures.map(({ name, reason }): Finding => ({ section, name, status: "failed", detail: reason }));
	if (Object.hasOwn(cli.plugins.backends, used)) return [...known, ...broken];
	const origin = setting === undefined ? "" : ` (${describeOrigin(setting.origin)})`;
	const remedy = `hermes config set terminal.backend ${[...loaded.keys()].join("|")}`;
	return [...known, ...broken, { section, name: used, status: "failed", detail: `is unknown${origin}`, remedy }];
}

async function findingOf(
	cli: Cli,
	config: LoadedConfig,
	{ backend, used }: { readonly backend: Backend; readonly used: string },
): Promise<Finding> {
	const { name } = backend;
	const isUsed = name === used;
	const forbidden = backendRefusal(config.policy, name);
	if (forbidden !== undefined) return { section, name, status: isUsed ? "failed" : "off", detail: forbidden };
	const verdict = await availability(cli, backend);
	if (verdict !== true) return { section, name, status: isUsed ? "failed" : "off", detail: verdict };
	if (!isUsed) return { section, name, status: "ok", detail: "can be used" };
	const pinned = isPinned(config) ? ", pinned" : "";
	return { section, name, status: "ok", detail: `is used${pinned}; hermes selfcheck ${name} tries it out` };
}

async function availability(cli: Cli, backend: Backend): Promise<true | string> {
	const asked = attemptAsync(async () => {
		return await backend.available(await backendSettings(cli, backend), cli.environment.variables);
	});
	const late = Bun.sleep(answerLimitMs).then(() => "late" as const);
	const answer = await Promise.race([asked, late]);
	if (answer === "late") return `does not answer within ${answerLimitMs / 1000} s`;
	return answer.ok ? answer.value : answer.reason;
}
