/** What the prompt says of the machine that commands run on. */

import { release, type } from "node:os";
import { attemptAsync } from "../../base/attempt.ts";
import type { FilePlace } from "../../files/place.ts";
import { runScript } from "../../files/run-script.ts";

const timeoutSeconds = 4;

const script = `
emit system "$(uname -sr 2>/dev/null)"
emit user "$(id -un 2>/dev/null)"
emit home "$HOME"
done_
`;

interface Machine {
	readonly system: string;
	/** Whoever uses this machine knows who they are. */
	readonly user?: string;
	readonly home: string;
}

/** One line about this machine, where the user's home is `home`. */
export function ownMachine(home: string): string {
	return shown({ system: `${type()} ${release()}`, home });
}

/** The same of another one; empty when it cannot be asked in a few seconds: the session goes on without. */
export async function describedMachine(place: FilePlace): Promise<string> {
	const asked = await attemptAsync(() => runScript(place, { script, args: [], timeoutSeconds }));
	const field = (name: string) => (asked.ok ? (asked.value.fields.get(name) ?? "").trim() : "");
	return shown({ system: field("system"), user: field("user"), home: field("home") });
}

function shown({ system, user, home }: Machine): string {
	const facts = [system, user && `user ${user}`, home && `home ${home}`].filter(Boolean).join(", ");
	if (facts === "") return "";
	const isWindows = /microsoft/i.test(system);
	return `Machine: ${facts}${isWindows ? " (WSL: the drives of Windows are below /mnt)" : ""}`;
}
