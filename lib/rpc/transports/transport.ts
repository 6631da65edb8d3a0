/** How calls of a script reach us. */

import type { Shell } from "../../environments/shell/shell.ts";
import type { CallDesk } from "../call-desk.ts";

/** `unix` and `tcp`: a socket on this machine. `relay`: a socket in the sandbox. `files`: files there that are looked for. */
export type TransportName = "unix" | "tcp" | "relay" | "files";

/** What a transport is opened with. */
export interface TransportParts {
	readonly shell: Shell;
	/** The script's own folder, as the sandbox sees it; it exists and nobody else can enter it. */
	readonly folder: string;
	readonly desk: CallDesk;
	readonly signal: AbortSignal;
}

/** An open way. Disposing it closes every connection. */
export interface Transport extends AsyncDisposable {
	readonly name: TransportName;
	/** What the script finds it by. */
	readonly variables: Readonly<Record<string, string>>;
	/** Rejects when no call can come through any more; never resolves. */
	readonly broken?: Promise<never>;
}
