/** From the words of a command line to the exit code: finds the subcommand, loads it alone, parses its flags, runs it. */

import { Command, CommanderError } from "commander";
import { systemReason } from "../../base/system-reason.ts";
import { chooseProfile, environmentIn, ProfileMissing } from "../../config/profiles/choose.ts";
import { profileFlag } from "../common-flags.ts";
import { rootAction } from "../conversation/root.ts";
import { CommandFailed, exitCodes, UsageError } from "../exit-codes.ts";
import type { Action, Cli } from "../subcommand.ts";
import { configureAction, configureGroup, longFlag } from "./build-command.ts";
import { checkSubcommand, commandPath, firstOperand } from "./check-arguments.ts";
import { flagProblem } from "./flag-problem.ts";

/** Runs one command line and returns its exit code. Errors are one line on standard error. */
export async function runCommandLine(args: readonly string[], cli: Cli): Promise<number> {
	try {
		return await parseAndRun(args, cli);
	} catch (error) {
		return await report(error, cli);
	}
}

async function report(error: unknown, cli: Cli): Promise<number> {
	if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
	const stopped = cli.interruption.exitCode();
	if (stopped !== undefined) return stopped;
	cli.stderr.write(`hermes: ${await withoutSecrets(lineOf(error))}\n`);
	const isUsage = error instanceof UsageError || error instanceof CommanderError;
	return isUsage ? exitCodes.usage : exitCodes.failure;
}

/** One line, except for advice that was written as several. */
function lineOf(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error);
	if (error instanceof CommandFailed) return message;
	if (error instanceof Error && "syscall" in error && "path" in error) {
		return `Cannot ${error.syscall} "${error.path}": ${systemReason(error) ?? message}`;
	}
	return message.replace(/^error: /, "").replaceAll(/\s*\n\s*/g, " ");
}

/** What was typed, or stands in a file, is quoted in the message, and a key may have got into a wrong place there. */
async function withoutSecrets(line: string): Promise<string> {
	const { createRedactor } = await import("../../security/redact.ts");
	return createRedactor()(line, { code: true });
}

/** Runs the action that the command line chose. */
type Runner = (command: Command, action: Action) => Promise<void>;

async function parseAndRun(args: readonly string[], cli: Cli): Promise<number> {
	let exitCode: number = exitCodes.ok;
	const { program, configure } = createProgram(cli, async (command, action) => {
		exitCode = await runAction(command, action, cli);
	});
	// Only the help shows the summaries of all subcommands, and so needs all their modules.
	const asksForHelp = args[0] === "help" || args.includes("--help") || args.includes("-h");
	if (asksForHelp) await Promise.all(program.commands.map(configure));
	const name = firstOperand(program, args);
	const named = name === "help" ? args[args.indexOf(name) + 1] : name;
	if (named !== undefined) checkSubcommand(program, named);
	try {
		await program.parseAsync([...args], { from: "user" });
	} catch (cause) {
		throw missingOperand(cause, program, args) ?? cause;
	}
	return exitCode;
}

/** Commander does not say which command it is that lacks something. */
function missingOperand(cause: unknown, program: Command, args: readonly string[]): UsageError | undefined {
	if (!(cause instanceof CommanderError) || cause.code !== "commander.missingArgument") return undefined;
	let command = program;
	for (const word of args) command = command.commands.find((child) => child.name() === word) ?? command;
	const path = commandPath(command);
	const operand = /'(.+)'/.exec(cause.message)?.[1] ?? "an operand";
	return new UsageError(`Cannot run "${path}": ${operand} is missing; see "${path} --help"`, { cause });
}

function createProgram(cli: Cli, run: Runner) {
	const program = new Command("hermes")
		.enablePositionalOptions()
		.exitOverride()
		.helpOption("-h, --help", "Show this help")
		.helpCommand("help [command]", "Show the help of a subcommand")
		.configureOutput({
			writeOut: (text) => cli.stdout.write(text),
			// The exception carries the message, and `report` prints it.
			writeErr: () => {},
			getOutHelpWidth: () => 100,
			getOutHasColors: () => false,
		});
	configureAction(program, rootAction);
	program.action(() => run(program, rootAction));
	for (const name of Object.keys(cli.plugins.subcommands)) program.command(name);

	const configured = new Set<Command>();
	const configure = async (command: Command) => {
		const load = cli.plugins.subcommands[command.name()];
		if (load === undefined || configured.has(command)) return;
		configured.add(command);
		const { default: subcommand } = await load();
		if (!("verbs" in subcommand)) return attach(command, subcommand, run);
		configureGroup(command, subcommand);
		for (const [name, verb] of Object.entries(subcommand.verbs)) attach(command.command(name), verb, run);
		command.hook("preSubcommand", (group, verb) => void firstOperand(verb, group.args.slice(1)));
	};
	program.hook("preSubcommand", async (_, command) => {
		await configure(command);
		checkRest(command, program.args.slice(1));
	});
	return { program, configure };
}

function attach(command: Command, action: Action, run: Runner): void {
	configureAction(command, action);
	command.action(() => run(command, action));
}

/** Checks what follows a subcommand; a group needs one of its verbs. */
function checkRest(command: Command, rest: readonly string[]): void {
	const operand = firstOperand(command, rest);
	if (command.commands.length === 0 || rest.includes("--help") || rest.includes("-h")) return;
	if (operand === undefined) {
		const verbs = command.commands.map((verb) => verb.name());
		throw new UsageError(`Cannot run "${commandPath(command)}": say which of ${verbs.join(", ")}`);
	}
	checkSubcommand(command, operand);
}

async function runAction(command: Command, action: Action, cli: Cli): Promise<number> {
	// A flag means the same before and after the subcommand (#28780); the later one wins.
	const typed = [...ancestors(command), command].map((level) => level.opts<Record<string, unknown>>());
	const { profile, ...written }: Record<string, unknown> = Object.assign({}, ...typed);
	const parsed = action.flags.strict().safeParse(written);
	if (parsed.success) {
		const { profile: name } = profileFlag.parse({ profile });
		return action.run({ flags: parsed.data, operands: command.args }, inProfile(cli, name, action));
	}
	const [issue] = parsed.error.issues;
	if (issue?.code === "unrecognized_keys") {
		const flags = issue.keys.map(longFlag).join(", ");
		throw new UsageError(`Cannot use ${flags} here: "${commandPath(command)}" has no such flag`);
	}
	if (issue === undefined) throw parsed.error;
	const key = String(issue.path[0]);
	throw new UsageError(flagProblem(longFlag(key), written[key], issue));
}

/** The same process with the home of the profile that was chosen. */
function inProfile(cli: Cli, name: string | undefined, { needsNoProfile = false }: Action): Cli {
	const choice = chooseProfile(cli.environment, name);
	try {
		return { ...cli, environment: environmentIn(cli.environment, choice) };
	} catch (error) {
		if (needsNoProfile && error instanceof ProfileMissing) return cli;
		throw error;
	}
}

function ancestors(command: Command): Command[] {
	return command.parent === null ? [] : [...ancestors(command.parent), command.parent];
}
