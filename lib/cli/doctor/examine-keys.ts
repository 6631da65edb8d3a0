/** Which credentials are set. Their values are never shown, not even in part. */

import { loadPlugins } from "../../base/plugins.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { isSecretName, knownVariables } from "../../config/variable-names.ts";
import { readAuthFile } from "../../providers/auth/auth-file.ts";
import type { Cli } from "../subcommand.ts";
import type { Finding } from "./finding.ts";

const section = "keys";

/** A line for every provider that needs a key, and one for whatever else is set. */
export async function examineKeys(cli: Cli, config: LoadedConfig): Promise<Finding[]> {
	const { loaded } = await loadPlugins(cli.plugins.providers);
	const isSet = (name: string) => Boolean(config.variables[name]);
	const ofProviders = new Set([...loaded.values()].flatMap(({ keyNames }) => keyNames));
	const others = [...knownVariables].filter((name) => isSecretName(name) && isSet(name) && !ofProviders.has(name));
	return [...providerFindings(config, [...ofProviders]), ...others.sort().map(setFinding)];

	function setFinding(name: string): Finding {
		const inEnvironment = cli.environment.variables[name] === config.variables[name];
		return { section, name, status: "ok", detail: `is set (${inEnvironment ? "environment" : ".env"})` };
	}

	function providerFindings({ get }: LoadedConfig, names: readonly string[]): Finding[] {
		const set = [...names.filter(isSet).map(setFinding), ...storedFindings(cli)];
		if (set.length > 0) return set;
		const isConfigured = get("model.base_url") !== "" || get("model.api_key") !== "";
		const detail = "no provider has a key";
		if (isConfigured)
			return [{ section, name: "model", status: "off", detail: `${detail}; a server of your own needs none` }];
		const remedy =
			"hermes auth add PROVIDER (hermes auth list names them), or model.base_url for a server of your own; hermes demo needs neither";
		return [{ section, name: "model", status: "warning", detail, remedy }];
	}
}

/** Keys that were added with `hermes auth`, by provider. */
function storedFindings(cli: Cli): Finding[] {
	const { credential_pool: pool } = readAuthFile(cli.environment.hermesHome);
	return Object.entries(pool)
		.filter(([, keys]) => keys.length > 0)
		.map(([name, keys]) => ({ section, name, status: "ok", detail: `${keys.length} in auth.json` }));
}
