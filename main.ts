/** Composition root: answers `--version` at once, else reads the environment, lists the plug-ins and runs one command line. */

/** Defined by the build; from source the number in package.json stands in. */
declare const HERMES_VERSION: string | undefined;

async function versionText(): Promise<string> {
	if (typeof HERMES_VERSION === "string") return HERMES_VERSION;
	const { version } = await import("./package.json");
	return version;
}

/** The link `hermes-agent` to this executable: the first word of the command line is the name it was started by. */
const isHermesAgent = /(^|[\\/])hermes-agent(\.exe)?$/i.test(process.argv0);

/** Everything but the version: loaded only when it is needed, so that `--version` costs no more than an empty program. */
async function run(args: readonly string[]): Promise<number> {
	const { openEarlyFrame } = await import("./lib/cli/terminal/early-frame.ts");
	const early = isHermesAgent ? undefined : await openEarlyFrame(args, await versionText());
	const [{ readEnvironment }, { openCli }, { runCommandLine }, tools, backends, providers, subcommands, commands] =
		await Promise.all([
			import("./lib/config/environment.ts"),
			import("./lib/cli/open-cli.ts"),
			import("./lib/cli/command-line/run-command-line.ts"),
			import("./lib/tools/all.ts"),
			import("./lib/environments/all.ts"),
			import("./lib/providers/all.ts"),
			import("./lib/cli/all.ts"),
			import("./lib/commands/all.ts"),
		]);
	const cli = openCli({
		version: await versionText(),
		environment: readEnvironment(),
		early,
		plugins: { ...tools, ...backends, ...providers, ...subcommands, ...commands },
	});
	if (!isHermesAgent) return runCommandLine(args, cli);
	const { agentRunArguments } = await import("./lib/cli/agent-run/arguments.ts");
	return runCommandLine(agentRunArguments(args), cli);
}

const args = process.argv.slice(2);
if (args[0] === "--version" || args[0] === "-V") {
	console.log(`hermes ${await versionText()}`);
} else {
	// Whatever is still open (an idle connection, a timer) must not keep a finished run alive.
	process.exit(await run(args));
}
