/** One shell session in a sandbox: every command is a fresh bash that starts with what the commands before it left. */

import type { Sandbox } from "../backend.ts";
import { bash } from "./bash-script.ts";
import { openHostRoute } from "./host-route.ts";
import { bashCandidates, findBash, type Interpreter, logIn } from "./login.ts";
import { posix } from "./posix-script.ts";
import type { Route } from "./route.ts";
import { openSandboxRoute } from "./sandbox-route.ts";
import { createSessionState, type SessionState } from "./session-state.ts";
import { createStartEnvironment, type StartEnvironment } from "./start-environment.ts";
import type { SudoPasswords } from "./sudo/passwords.ts";

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
	/** Passwords for the sudos of its commands. */
	readonly sudo?: SudoPasswords | undefined;
	/** One line for the user about start-up files that did not work. */
	onWarning?(text: string): void;
}

/** An open session. Commands run through `execute`; disposing it removes the session's files, not the sandbox. */
export interface Shell extends AsyncDisposable {
	/** The session's folder now, absolute, as the sandbox sees it. */
	readonly cwd: string;
	readonly ranOn: string;
	readonly sandbox: Sandbox;
	/** `files` of the backend. */
	readonly files: OpenShellOptions["files"];
	/** What runs the commands. */
	readonly interpreter: Interpreter;
	readonly state: SessionState;
	readonly route: Route;
	readonly startEnvironment: StartEnvironment;
	/** Left out where nobody has a password for sudo. */
	readonly sudo?: SudoPasswords | undefined;
}

/**
 * Opens a session: reads the login shell's start-up files once. When they fail or take too long, a warning says so and the
 * session begins with `environment` as it is.
 * @throws {BackendUnavailable} When the sandbox is broken or has no shell.
 */
export async function openShell(options: OpenShellOptions): Promise<Shell> {
	const { sandbox } = options;
	await using opening = new AsyncDisposableStack();
	const { route, interpreter } = options.files === "host" ? await greetHost(options) : await greetSandbox(options);
	opening.use(route);
	const state = createSessionState(await logIn(options, route, interpreter));
	const startEnvironment = createStartEnvironment(route, interpreter.language);
	const opened = opening.move();
	return {
		get cwd() {
			return state.values.cwd;
		},
		get ranOn() {
			return sandbox.ranOn;
		},
		sandbox,
		files: options.files,
		interpreter,
		state,
		route,
		startEnvironment,
		sudo: options.sudo,
		[Symbol.asyncDispose]: () => opened.disposeAsync(),
	};
}

/** A way to start shells, and the one to start. */
interface Greeted {
	readonly route: Route;
	readonly interpreter: Interpreter;
}

async function greetHost(options: OpenShellOptions): Promise<Greeted> {
	const path = await findBash(options);
	return { route: openHostRoute(options.sandbox, options.environment), interpreter: { path, language: bash } };
}

async function greetSandbox({ sandbox, environment, signal, onWarning }: OpenShellOptions): Promise<Greeted> {
	const { route, shell: path } = await openSandboxRoute(sandbox, { environment, shells: bashCandidates, signal });
	if (path !== undefined) return { route, interpreter: { path, language: bash } };
	onWarning?.(`There is no bash on ${sandbox.ranOn}: commands run with sh, and functions do not outlive a command`);
	return { route, interpreter: { path: "/bin/sh", language: posix } };
}
