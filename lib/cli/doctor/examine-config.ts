/** The policy of the machine, config.yaml and .env: whether they can be used, and what nobody knows in them. */

import { ConfigInvalid } from "../../config/config-invalid.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { describePolicy, loadPolicy, type Policy, systemPolicy } from "../../config/policy.ts";
import { createRedactor } from "../../security/redact.ts";
import { findingsOf } from "../config/check.ts";
import { openConfig } from "../config/open-config.ts";
import type { Cli } from "../subcommand.ts";
import type { Finding } from "./finding.ts";

const section = "config";

/** The settings when they can be used, and what there is to say about them. */
export async function examineConfig(
	cli: Cli,
): Promise<{ readonly config: LoadedConfig | undefined; readonly findings: Finding[] }> {
	const policy = await policyFindings(cli);
	if (policy.some(({ status }) => status === "failed")) return { config: undefined, findings: policy };
	try {
		const config = await openConfig(cli);
		return { config, findings: [...policy, ...configFindings(config)] };
	} catch (cause) {
		if (!(cause instanceof ConfigInvalid)) throw cause;
		const detail = createRedactor()(cause.message);
		const remedy = "hermes config edit opens the file";
		const broken: Finding = { section, name: "config.yaml", status: "failed", detail, remedy };
		return { config: undefined, findings: [...policy, broken] };
	}
}

async function policyFindings(cli: Cli): Promise<Finding[]> {
	const name = "policy";
	try {
		const policy = await loadPolicy(cli.policy);
		if (policy === undefined) {
			return [{ section, name, status: "off", detail: `there is none (${(cli.policy ?? systemPolicy).path})` }];
		}
		return [{ section, name, status: "ok", detail: describePolicy(policy) }, ...unknownBackends(cli, policy)];
	} catch (cause) {
		if (!(cause instanceof ConfigInvalid)) throw cause;
		return [{ section, name, status: "failed", detail: cause.message }];
	}
}

function unknownBackends(cli: Cli, { allowedBackends = [], path }: Policy): Finding[] {
	const unknown = allowedBackends.filter((name) => !Object.hasOwn(cli.plugins.backends, name));
	if (unknown.length === 0) return [];
	const detail = `${path} allows ${unknown.join(", ")}, which this hermes does not have`;
	return [{ section, name: "policy", status: "warning", detail }];
}

function configFindings(config: LoadedConfig): Finding[] {
	const redact = createRedactor(config.secrets);
	const { errors, warnings } = findingsOf(config);
	const name = "config.yaml";
	const where = config.file.exists ? `${config.file.path} can be used` : "there is none; every setting has its default";
	return [
		...errors.map((text): Finding => ({ section, name, status: "failed", detail: redact(text) })),
		...warnings.map((text): Finding => ({ section, name, status: "warning", detail: redact(text) })),
		...(errors.length === 0 ? [{ section, name, status: "ok", detail: where } as const] : []),
	];
}
