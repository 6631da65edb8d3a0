/** The commands that do what the wizard does, with what is set now in them: for scripts, and where nobody can be asked. */

import { quoteWord } from "../../base/shell-quoting.ts";
import { openSettings } from "../runtime/settings.ts";
import type { Cli } from "../subcommand.ts";
import type { SectionName } from "./section-names.ts";

/** Text for a shell; comments say what goes where nothing is set yet. */
export async function commandsFor(cli: Cli, sections: readonly SectionName[]): Promise<string> {
	const { get } = await openSettings(cli, {});
	const set = (key: string, value: string, meant: string) =>
		value === "" ? `# hermes config set ${key} ${meant}` : `hermes config set ${key} ${quoteWord(value)}`;
	const parts: Record<SectionName, readonly string[]> = {
		model: [
			"# who answers; the key is read from standard input, hermes auth list names the providers",
			"# hermes auth add PROVIDER <key.txt",
			set("model.provider", get("model.provider"), "PROVIDER"),
			set("model.default", get("model.default"), "MODEL"),
			set("model.base_url", get("model.base_url"), "URL              # a server of your own"),
		],
		terminal: [
			"# where commands run: local, docker, ssh, singularity, modal, daytona; hermes selfcheck BACKEND tries one out",
			set("terminal.backend", get("terminal.backend"), "BACKEND"),
		],
		tools: ["# which tools the model has; hermes tools list names them", "# hermes tools disable NAME[,NAME]"],
	};
	return `${sections.flatMap((name) => parts[name]).join("\n")}\n`;
}
