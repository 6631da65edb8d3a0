/** One shell session in a sandbox: every command is a fresh bash that starts with what the commands before it left. */

import type { Sandbox } from "../backend.ts";
import { openHostStateFolder } from "./host-state-folder.ts";
import { logIn } from "./login.ts";
import { openSandboxStateFolder } from "./sandbox-state-folder.ts";
import { createSessionState, type SessionState } from "./session-state.ts";
import { createStartEnvironment, type StartEnvironment } from "./start-environment.ts";
import type { StateFolder } from "./state-folder.ts";

/** How a session begins. */
export interface OpenShellOptions {
	readonly sandbox: Sandbox;
	/** `files` of the backend: whether the host can read what a command writes. */
	readonly files: "host" | "bind" | "sync";
	/** The first folder, as the sandbox sees it; `~` is the home there, empty the folder that a login gives. */
	readonly cwd: string;
	/** What the login shell starts with; the start-up files may change it. */
	readonly environment: Readonly<Record<string, string>>;
	/** Ends the opening, not the session. */
	readonly signal: AbortSignal;
	/** How long the start-up files may take; 30 when left out. */
	readonly loginTimeoutSeconds?: number;
	/** Start-up files to read besides those of a login shell; `$HOME` is understood. `.profile`, `.bash_profile` and `.bashrc` when left out. */
	readonly initFiles?: readonly string[];
	/** One line for the user about start-up files that did not work. */
	onWarning?(text: string): void;
}

/** An open session. Commands run through `execute`; disposing it removes the session's files, not the sandbox. */
export interface Shell extends AsyncDisposable {
	/** The session's folder now, absolute, as the sandbox sees it. */
	readonly cwd: string;
	readonly ranOn: string;
	readonly sandbox: Sandbox;
	/** The bash that runs the commands; absolute, because a command may change PATH. */
	readonly bash: string;
	readonly state: SessionState;
	readonly folder: StateFolder;
	readonly startEnvironment: StartEnvironment;
}

/**
 * Opens a session: reads the login shell's start-up files once. When they fail or take too long, a warning says so and the
 * session begins with `environment` as it is.
 * @throws {BackendUnavailable} When the sandbox is broken or has no bash.
 */
export async function openShell(options: OpenShellOptions): Promise<Shell> {
	const { sandbox, signal } = options;
	await using opening = new AsyncDisposableStack();
	const folder = opening.use(
		options.files === "host" ? openHostStateFolder(options.environment) : await openSandboxStateFolder(sandbox, signal),
	);
	const { bash, values } = await logIn(options, folder);
	const state = createSessionState(values);
	const startEnvironment = createStartEnvironment(folder);
	const opened = opening.move();
	return {
		get cwd() {
			return state.values.cwd;
		},
		ranOn: sandbox.ranOn,
		sandbox,
		bash,
		state,
		folder,
		startEnvironment,
		[Symbol.asyncDispose]: () => opened.disposeAsync(),
	};
}
