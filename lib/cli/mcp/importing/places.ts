/** Where other programs keep their MCP servers. */

import { join } from "node:path";

/** A program whose files are read. */
export const sources = ["claude-desktop", "claude-code", "cursor", "vscode"] as const;

/** One of them. */
export type Source = (typeof sources)[number];

/** A file that may be there. */
export interface Place {
	readonly source: Source;
	readonly path: string;
	/** The folder that `${workspaceFolder}` stands for. */
	readonly folder: string;
	/** Keys below which the map of servers is; `*` is every key of a map. The first that is there counts. */
	readonly keys: readonly (readonly string[])[];
}

/** What is known of this machine. */
export interface Machine {
	/** The user's home folder. */
	readonly home: string;
	readonly cwd: string;
	readonly variables: Readonly<Record<string, string>>;
	readonly platform: NodeJS.Platform;
}

const common = [["mcpServers"]];
const vscodeKeys = [["servers"], ["mcp", "servers"]];

/** The files of the user, and with `project` those of the current folder: a stranger may have written these. */
export function placesOf({ home, cwd, variables, platform }: Machine, project: boolean): readonly Place[] {
	const settings = settingsFolder({ home, variables, platform });
	const own: Place[] = [
		{
			source: "claude-desktop",
			path: join(settings, "Claude", "claude_desktop_config.json"),
			folder: home,
			keys: common,
		},
		{
			source: "claude-code",
			path: join(home, ".claude.json"),
			folder: cwd,
			keys: project ? [["mcpServers"], ["projects", cwd, "mcpServers"]] : common,
		},
		{ source: "cursor", path: join(home, ".cursor", "mcp.json"), folder: cwd, keys: common },
		...["mcp.json", "settings.json"].map((file): Place => {
			return { source: "vscode", path: join(settings, "Code", "User", file), folder: cwd, keys: vscodeKeys };
		}),
	];
	const ofProject: Place[] = [
		{ source: "claude-code", path: join(cwd, ".mcp.json"), folder: cwd, keys: common },
		{ source: "cursor", path: join(cwd, ".cursor", "mcp.json"), folder: cwd, keys: common },
		{ source: "vscode", path: join(cwd, ".vscode", "mcp.json"), folder: cwd, keys: vscodeKeys },
	];
	return project ? [...own, ...ofProject] : own;
}

/** A file that the user names: any of the forms. */
export function namedPlace(path: string, cwd: string): Place {
	return { source: "claude-code", path, folder: cwd, keys: [...common, ...vscodeKeys] };
}

function settingsFolder({ home, variables, platform }: Omit<Machine, "cwd">): string {
	if (platform === "darwin") return join(home, "Library", "Application Support");
	if (platform === "win32") return variables.APPDATA || join(home, "AppData", "Roaming");
	return variables.XDG_CONFIG_HOME || join(home, ".config");
}
