/** Shells and tools that scripts meet on other machines: busybox, as Alpine has it, and bash as sh. */

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const busybox = Bun.which("busybox");
const bash = Bun.which("bash");

/** One of them; `rewrite` gives, for a folder that it may fill, what puts it in the place of this machine's own in a command. */
export interface OtherShell {
	readonly name: string;
	readonly isMissing: boolean;
	rewrite(folder: string): (command: string) => string;
}

/** Both. */
export const otherShells: readonly OtherShell[] = [
	{
		name: "busybox",
		isMissing: busybox === null,
		rewrite(folder) {
			const tools = busyboxTools(folder);
			return (command) =>
				command
					.replace("'/bin/sh'", join(tools, "sh"))
					.replace("PATH=/usr/bin:/bin:/usr/local/bin:$PATH", `PATH=${tools}`);
		},
	},
	{
		name: "bash as sh",
		isMissing: bash === null,
		rewrite: () => (command) => command.replace("'/bin/sh'", `'${bash}' --posix`),
	},
];

/** A folder in which every command but git is busybox. */
function busyboxTools(folder: string): string {
	const tools = join(folder, "tools");
	mkdirSync(tools);
	const listed = Bun.spawnSync([busybox ?? "", "--list"]).stdout.toString();
	for (const name of listed.trim().split("\n")) symlinkSync(busybox ?? "", join(tools, name));
	symlinkSync(Bun.which("git") ?? "", join(tools, "git"));
	return tools;
}
