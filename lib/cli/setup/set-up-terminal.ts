/** The second part: the backend that commands run on. */

import { attemptAsync } from "../../base/attempt.ts";
import { loadPlugins } from "../../base/plugins.ts";
import type { Backend } from "../../environments/backend.ts";
import { hostNames } from "../../environments/ssh/configuration/host-names.ts";
import { backendSettings, openSettings } from "../runtime/settings.ts";
import { runSelfcheck } from "../selfcheck/run-selfcheck.ts";
import type { Cli } from "../subcommand.ts";
import { saveSettings } from "./save.ts";
import { agree, during, line, pick } from "./wizard.ts";

/** A backend that does not answer for this long cannot be used now. */
const answerMs = 5000;

/** Asks, tries on request, saves. Returns what was set, as a sentence. @throws {LeftSetup} */
export async function setUpTerminal(cli: Cli): Promise<string> {
	const config = await openSettings(cli, {});
	const { loaded } = await loadPlugins(cli.plugins.backends);
	const found = await during(
		"Looking for places where commands can run",
		() =>
			Promise.all([...loaded.values()].map(async (backend) => ({ backend, verdict: await verdictOf(cli, backend) }))),
		(all) =>
			`${all
				.filter(({ verdict }) => verdict === true)
				.map(({ backend }) => backend.name)
				.join(", ")} can be used now`,
	);
	const name = await pick(
		"Where do commands run?",
		found.map(({ backend, verdict }) => ({
			value: backend.name,
			hint: verdict === true ? backend.description : `${backend.description}; ${short(verdict)}`,
		})),
		config.get("terminal.backend"),
	);
	const own = name === "ssh" ? await askForHost(cli) : [];
	await saveSettings(cli, [...own, ["terminal.backend", name]]);
	if (await agree(`Try ${name} out now? It takes about a minute`, false)) {
		await runSelfcheck(cli, { backend: name, json: false });
	}
	return `Commands run on ${name}`;
}

async function verdictOf(cli: Cli, backend: Backend): Promise<true | string> {
	const asked = attemptAsync(async () =>
		backend.available(await backendSettings(cli, backend), cli.environment.variables),
	);
	const late = Bun.sleep(answerMs).then(() => ({ ok: true, value: "it does not answer" }) as const);
	const answer = await Promise.race([asked, late]);
	return answer.ok ? answer.value : answer.reason;
}

/** The first part of a reason: what is missing. */
function short(reason: string): string {
	const [first = ""] = reason.split(/[;:]/);
	return first.slice(0, 60);
}

async function askForHost(cli: Cli): Promise<(readonly [string, string])[]> {
	const section: unknown = (await openSettings(cli, {})).find("terminal.ssh_host")?.value;
	const current = typeof section === "string" ? section : "";
	const known = hostNames(cli.environment.home);
	const other = { value: "", label: "another host" };
	const chosen =
		known.length === 0 ? "" : await pick("Which host?", [...known.map((value) => ({ value })), other], current);
	const host =
		chosen ||
		(await line("Host, or USER@HOST", {
			initial: current,
			problem: (text) => (/^\S+$/.test(text) ? undefined : "a host is needed"),
		})) ||
		current;
	const [, user, name = host] = /^([^@]+)@(.+)$/.exec(host) ?? [];
	return [["terminal.ssh_host", name], ...(user === undefined ? [] : [["terminal.ssh_user", user] as const])];
}
