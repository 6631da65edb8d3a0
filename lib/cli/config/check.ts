/** `hermes config check`: what is wrong with the configuration, what is odd, and what nothing uses yet. */

import type { LoadedConfig } from "../../config/load.ts";
import { layoutVersion, listed, planMigration } from "../../config/migrate/older-names.ts";
import { describePolicy } from "../../config/policy.ts";
import type { Key } from "../../config/schema/key.ts";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Errors, warnings and keys that nothing reads yet. */
export const check = defineAction({
	summary: "Check config.yaml and .env",
	details: "Exits with 1 when something cannot be used. A key that is not used yet is no fault.",
	flags: jsonFlag,

	async run({ flags: { json } }, cli) {
		const [{ openConfig }, { ConfigInvalid }, { createRedactor }] = await Promise.all([
			import("./open-config.ts"),
			import("../../config/config-invalid.ts"),
			import("../../security/redact.ts"),
		]);
		let findings: Findings;
		try {
			const config = await openConfig(cli);
			const redact = createRedactor(config.secrets);
			findings = mapTexts(findingsOf(config), redact);
			if (config.policy !== undefined) findings = { ...findings, policy: describePolicy(config.policy) };
		} catch (error) {
			if (!(error instanceof ConfigInvalid)) throw error;
			findings = { errors: [createRedactor()(error.message)], warnings: [], notUsedYet: [] };
		}
		cli.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : report(findings));
		return findings.errors.length === 0 ? exitCodes.ok : exitCodes.failure;
	},
});

/** As `--json` prints them. */
export interface Findings {
	readonly errors: readonly string[];
	readonly warnings: readonly string[];
	/** Keys that the file sets and no engine reads. */
	readonly notUsedYet: readonly string[];
	/** What the administrator of the machine has decided, when there is a policy. */
	readonly policy?: string;
}

/** What there is to say about settings that could be loaded. */
export function findingsOf(config: LoadedConfig): Findings {
	const set = [...config.file.values];
	const errors = set.flatMap(([, { problem }]) => (problem === undefined ? [] : [problem]));
	const plainSecrets = config.file.plainSecrets.map(
		(key) => `${key} is a secret; move it to .env: hermes config set ${key} -`,
	);
	return {
		errors,
		warnings: [
			...config.warnings.filter((warning) => !errors.includes(warning)),
			...plainSecrets,
			...olderLayout(config),
		],
		notUsedYet: set.flatMap(([path]) => (isAwaited(config.schema.find(path)?.key) ? [path] : [])),
	};
}

function isAwaited(key: Key | undefined): boolean {
	return key?.used !== true && key?.gone === undefined;
}

function olderLayout({ file: { content } }: LoadedConfig): readonly string[] {
	const { moves, version } = planMigration(content);
	if (moves.length > 0) return [`${listed(moves)}: hermes config migrate moves what has an older name`];
	if (version === undefined || version >= layoutVersion) return [];
	return [`the file says that it has layout ${version} of ${layoutVersion}: hermes config migrate`];
}

function mapTexts(findings: Findings, change: (text: string) => string): Findings {
	return { ...findings, errors: findings.errors.map(change), warnings: findings.warnings.map(change) };
}

function report({ errors, warnings, notUsedYet, policy }: Findings): string {
	const lines = [
		...(policy === undefined ? [] : [`policy: ${policy}`]),
		...errors.map((text) => `error: ${text}`),
		...warnings.map((text) => `warning: ${text}`),
		...notUsedYet.map((key) => `not used yet: ${key}`),
	];
	const verdict = errors.length === 0 ? "The configuration can be used." : "The configuration cannot be used as it is.";
	return `${[...lines, verdict].join("\n")}\n`;
}
