/** Apptainer with the image of the test services, and sandboxes of it. */

import type { OpenContext, Sandbox, StartOptions } from "../../../lib/environments/backend.ts";
import singularity from "../../../lib/environments/singularity/index.ts";
import { settings } from "../../../lib/environments/singularity/settings.ts";
import { requireService, serviceVariable } from "../../support/required-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Whether there is an Apptainer to test with: an instance must start. */
export function hasSingularity(): Promise<boolean> {
	return requireService("singularity", async () => {
		await using place = await openSingularity();
		await said(place.sandbox, ["true"]);
	});
}

/** How a test differs from the usual sandbox, which forgets its files. */
export interface SingularityOptions {
	readonly settings?: Record<string, unknown>;
	readonly context?: Partial<OpenContext>;
}

/** A sandbox with a home of its own on this side. */
export interface SingularityPlace extends AsyncDisposable {
	readonly sandbox: Sandbox;
	readonly home: string;
	/** Lines that were told to the user. */
	readonly told: readonly string[];
}

/** Opens the singularity backend. */
export async function openSingularity(options: SingularityOptions = {}): Promise<SingularityPlace> {
	using opening = new DisposableStack();
	const home = options.context?.home ?? opening.use(temporaryFolder()).path;
	const told: string[] = [];
	const sandbox = await singularity.open(
		settings.parse({
			singularity_image: serviceVariable("HERMES_TEST_APPTAINER_IMAGE"),
			container_persistent: false,
			...options.settings,
		}),
		{
			signal: new AbortController().signal,
			taskId: "test",
			home,
			hostEnvironment: { PATH: process.env.PATH ?? "", HOME: home },
			onProgress: (line) => told.push(line),
			...options.context,
		},
	);
	const opened = opening.move();
	return {
		sandbox,
		home,
		told,
		async [Symbol.asyncDispose]() {
			await sandbox[Symbol.asyncDispose]();
			opened.dispose();
		},
	};
}

/** Output and exit code of a program that is waited for. */
export async function said(sandbox: Sandbox, argv: readonly string[], options: Partial<StartOptions> = {}) {
	const signal = new AbortController().signal;
	const running = await sandbox.start(argv, { env: {}, cwd: "/", stdin: "none", signal, ...options });
	const [output, exitCode] = await Promise.all([new Response(running.output).text(), running.exited]);
	return { output, exitCode };
}

/** What `bash -c` says to a script. */
export async function saidBy(sandbox: Sandbox, script: string, options: Partial<StartOptions> = {}): Promise<string> {
	return (await said(sandbox, ["bash", "-c", script], options)).output;
}
