/** Programs of this machine that hermes or its tools use. */

import type { LoadedConfig } from "../../config/load.ts";
import type { Finding } from "./finding.ts";

const section = "programs";

interface Program {
	readonly name: string;
	/** What is missing without it. */
	readonly without: string;
	/** Whether its absence is worth a thought, with these settings. */
	status(config: LoadedConfig | undefined): "failed" | "warning" | "off";
}

const usesLocal = (config: LoadedConfig | undefined) => config?.find("terminal.backend")?.value === "local";

const programs: readonly Program[] = [
	{
		name: "bash",
		without: "commands cannot run on this machine",
		status: (config) => (usesLocal(config) ? "failed" : "off"),
	},
	{
		name: "git",
		without: "work in repositories is not possible, and changes of files cannot be taken back",
		status: (config) => (usesLocal(config) ? "warning" : "off"),
	},
	{
		name: "rg",
		without: "search_files uses grep, which is slower and does not heed .gitignore",
		status: (config) => (usesLocal(config) ? "warning" : "off"),
	},
	{
		name: "docker",
		without: "nothing is missing: the docker backend speaks to the engine itself",
		status: () => "off",
	},
	{
		name: "ssh",
		without: "terminal.ssh_transport openssh cannot be used",
		status: (config) => (config?.find("terminal.ssh_transport")?.value === "openssh" ? "failed" : "off"),
	},
];

/** A line a program: where it is, or what is missing without it. */
export function examinePrograms(
	variables: Readonly<Record<string, string>>,
	config: LoadedConfig | undefined,
): Finding[] {
	return programs.map(({ name, without, status }): Finding => {
		const path = Bun.which(name, { PATH: variables.PATH ?? "" });
		if (path !== null) return { section, name, status: "ok", detail: path };
		return { section, name, status: status(config), detail: `is not on PATH: ${without}` };
	});
}
