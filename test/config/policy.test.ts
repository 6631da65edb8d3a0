/** The policy of a machine: read only when nobody but its owner can have written it, and never loosened by a user. */

import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describeOrigin, loadConfig } from "../../lib/config/load.ts";
import { describePolicy, loadPolicy } from "../../lib/config/policy.ts";
import { machineWithPolicy, policyOwner } from "../support/policy-file.ts";

const whole = "allowed_backends: [docker, ssh]\npin: true\napprovals_mode: off\naudit: true\n";

describe("loadPolicy()", () => {
	test("loadPolicy() reads what the administrator has decided", async () => {
		using machine = machineWithPolicy(whole);
		const policy = await loadPolicy(machine.policy);
		expect(policy).toEqual({
			path: machine.path,
			allowedBackends: ["docker", "ssh"],
			pin: true,
			approvalsMode: "off",
			audit: true,
		});
		expect(policy && describePolicy(policy)).toBe(
			`${machine.path}: allowed_backends: docker, ssh; pin: true; approvals_mode: off; audit: true`,
		);
	});

	test("loadPolicy() gives undefined when there is none, and decides nothing when it is empty", async () => {
		using machine = machineWithPolicy("# nothing yet\n");
		const policy = await loadPolicy(machine.policy);
		expect(policy && describePolicy(policy)).toBe(`${machine.path}: decides nothing`);
		rmSync(machine.path);
		expect(await loadPolicy(machine.policy)).toBeUndefined();
		rmSync(dirname(machine.path), { recursive: true });
		expect(await loadPolicy(machine.policy)).toBeUndefined();
	});

	test.each([
		["pin: [", "line 1"],
		["- pin\n", "policy.yaml"],
		["pin: perhaps\n", ':1:6": pin: '],
		["pin: true\nallowed_backend: [ssh]\n", ':2:1": unknown key allowed_backend'],
		["allowed_backends: []\n", "allowed_backends: "],
		["allowed_backends: ssh\n", "allowed_backends: "],
		["approvals_mode: never\n", "approvals_mode: "],
	])("loadPolicy() refuses %j and says where it is wrong", async (text, said) => {
		using machine = machineWithPolicy(text);
		const message = await loadPolicy(machine.policy).catch(({ message }: Error) => message);
		expect(message).toContain(`Cannot use the policy "${machine.path}`);
		expect(message).toContain(said);
		expect(message).toContain("nothing runs until the administrator of this machine has mended it");
	});

	test.each<[string, string, (path: string) => void]>([
		["others than its owner can write to it", "the group can write", (path) => chmodSync(path, 0o664)],
		["others than its owner can write to it", "all can write", (path) => chmodSync(path, 0o646)],
		["others than its owner can write to its folder", "the folder is open", (path) => chmodSync(dirname(path), 0o777)],
		[
			"it is a symbolic link",
			"it is a link",
			(path) => {
				renameSync(path, `${path}.real`);
				symlinkSync(`${path}.real`, path);
			},
		],
		[
			"it is a symbolic link",
			"it is a link to nothing",
			(path) => {
				rmSync(path);
				symlinkSync("/nowhere/policy.yaml", path);
			},
		],
		[
			"it is not a file",
			"it is a folder",
			(path) => {
				rmSync(path);
				mkdirSync(path);
			},
		],
	])("loadPolicy() refuses a policy because %s, when %s", async (said, _, spoil) => {
		using machine = machineWithPolicy("pin: true\n");
		spoil(machine.path);
		await expect(loadPolicy(machine.policy)).rejects.toThrow(said);
	});

	test("loadPolicy() refuses a policy of somebody else", async () => {
		using machine = machineWithPolicy("pin: true\n");
		const owner = policyOwner + 1;
		await expect(loadPolicy({ path: machine.path, owner })).rejects.toThrow(
			`its folder belongs to user ${policyOwner} and not to user ${owner}`,
		);
	});
});

/** The settings of a user on a machine with this policy. */
async function settle(policy: string, config: string, variables: Readonly<Record<string, string>> = {}) {
	using machine = machineWithPolicy(policy, config);
	const home = `${machine.home}/.hermes`;
	const loaded = await loadConfig({ home, variables, policy: machine.policy });
	const shown = (path: string) => {
		const { value, origin } = loaded.find(path) ?? { value: undefined, origin: { kind: "default" } as const };
		return `${value} (${describeOrigin(origin).replace(machine.path, "P")})`;
	};
	return { shown, warnings: loaded.warnings.map((warning) => warning.replace(machine.path, "P")) };
}

describe("loadConfig() on a machine with a policy", () => {
	test("loadConfig() holds users to the policy and says what they have set in vain", async () => {
		const config = "terminal: {pin: false, backend: ssh}\naudit: {enabled: false}\n";
		const { shown, warnings } = await settle(
			"allowed_backends: [docker, ssh]\npin: true\napprovals_mode: manual\naudit: true\n",
			`${config}approvals: {mode: off}\n`,
		);
		expect(["terminal.backend", "terminal.pin", "audit.enabled", "approvals.mode"].map(shown)).toEqual([
			"ssh (config.yaml:1)",
			"true (policy P)",
			"true (policy P)",
			"manual (policy P)",
		]);
		expect(warnings).toEqual([
			'approvals.mode is manual: the policy "P" says so, whatever config.yaml says',
			'terminal.pin is true: the policy "P" says so, whatever config.yaml says',
			'audit.enabled is true: the policy "P" says so, whatever config.yaml says',
		]);
	});

	test("loadConfig() lets users be stricter than the policy", async () => {
		const { shown, warnings } = await settle("approvals_mode: smart\n", "approvals: {mode: manual}\n", {
			TERMINAL_PIN: "true",
		});
		expect(["approvals.mode", "terminal.pin"].map(shown)).toEqual([
			"manual (config.yaml:1)",
			"true (environment TERMINAL_PIN)",
		]);
		expect(warnings).toEqual([]);
	});

	test("loadConfig() gives the first allowed backend to whoever has chosen none", async () => {
		const { shown } = await settle("allowed_backends: [docker, ssh]\n", "");
		expect(shown("terminal.backend")).toBe("docker (policy P)");
	});

	test.each([
		["config.yaml", "terminal: {backend: local}\n", {}],
		["a variable", "", { TERMINAL_ENV: "local" }],
	])("loadConfig() refuses a backend that the policy does not allow, chosen in %s", async (_, config, variables) => {
		await expect(settle("allowed_backends: [docker, ssh]\n", config, variables)).rejects.toThrow(
			/^Cannot use backend "local": the policy ".*" allows only docker, ssh$/,
		);
	});

	test("loadConfig() reads no policy that a variable names", async () => {
		using machine = machineWithPolicy("pin: true\n");
		writeFileSync(`${machine.home}/.hermes/.env`, `HERMES_POLICY=${machine.path}\n`, { mode: 0o600 });
		const home = `${machine.home}/.hermes`;
		const nowhere = { path: `${machine.home}/none.yaml`, owner: policyOwner };
		const variables = { HERMES_POLICY: machine.path, HERMES_POLICY_PATH: machine.path };
		expect((await loadConfig({ home, variables, policy: nowhere })).policy).toBeUndefined();
	});
});
