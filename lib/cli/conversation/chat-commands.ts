/** The slash commands of a chat at the terminal: they are loaded here, and act on the conversation that is open. */

import { attemptAsync } from "../../base/attempt.ts";
import { loadPlugins } from "../../base/plugins.ts";
import { type CommandContext, CommandRefused, type RunningTurn, type Surface } from "../../commands/command.ts";
import { type CommandSet, commandsOf } from "../../commands/command-set.ts";
import type { CommandConversation } from "../../commands/conversation.ts";
import { type AfterCommand, runCommand } from "../../commands/run-command.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Conversation } from "../runtime/open-conversation.ts";
import type { Cli } from "../subcommand.ts";

/** The commands of one chat. */
export interface ChatCommands {
	readonly set: CommandSet;
	readonly conversation: CommandConversation;
	/** Runs `line` when it is a command; undefined when it is for the model. `turn` is the one that runs now. */
	run(line: string, turn?: RunningTurn): Promise<AfterCommand | undefined>;
}

/** Where the commands of a chat act, and what they say goes. */
export interface CommandScene extends Pick<CommandContext, "copy" | "progress" | "skins" | "images" | "statusBar"> {
	readonly cli: Cli;
	readonly conversation: Conversation;
	readonly surface: Surface;
	/** `text` is lines without the last line end, as they are: not yet safe for a terminal. */
	say(text: string): void;
}

/** Loads the commands that `surface` has; one that cannot be loaded is said and missing. */
export async function openChatCommands(scene: CommandScene): Promise<ChatCommands> {
	const { cli, conversation, ...shown } = scene;
	const { surface, say } = shown;
	const { loaded, failures } = await loadPlugins(cli.plugins.commands);
	for (const { name, reason } of failures) say(`Cannot load the command /${name}: ${reason}`);
	const set = commandsOf(loaded.values(), surface);
	const port = conversationPort(conversation, cli);
	return {
		set,
		conversation: port,
		async run(line, turn) {
			const resolved = set.resolve(line);
			if (resolved === undefined) return undefined;
			// Beside a turn Ctrl-C is the turn's.
			using opened = turn === undefined ? cli.interruption.openTurn() : undefined;
			const signal = opened?.signal ?? cli.interruption.signal;
			return await runCommand(resolved, { ...shown, conversation: port, commands: set, turn, signal });
		},
	};
}

function conversationPort(conversation: Conversation, cli: Cli): CommandConversation {
	return {
		get sessionId() {
			return conversation.sessionId;
		},
		get model() {
			return conversation.model;
		},
		get used() {
			return conversation.used;
		},
		get place() {
			const { backend, shell } = conversation.place;
			return { backend, ranOn: shell.ranOn, cwd: shell.cwd };
		},
		provider: conversation.provider,
		store: conversation.store,
		get effort() {
			return conversation.effort;
		},
		useEffort: (effort) => conversation.useEffort(effort),
		useModel: (model) => conversation.useModel(model),
		consent: conversation.consent,
		personality: conversation.personality,
		speed: conversation.speed,
		async handOut(goal) {
			const answer = await conversation.handOut(goal);
			if (!answer.ok) throw new CommandRefused(answer.why);
			return String(answer.data.delegation_id);
		},
		async useProvider(named, model) {
			const used = await attemptAsync(() => conversation.useProvider(named, model));
			if (!used.ok) throw new CommandRefused(used.reason);
		},
		startNew: () => conversation.startNew(),
		resume: (named) => refusing(() => conversation.resume({ named })),
		reload: () => refusing(() => conversation.reload()),
		compress: (focus, signal) => conversation.compress(focus, signal),
		program: async (words) => (await import("./run-program.ts")).runProgram(words, cli),
	};
}

/** What the command line ends with is one line in a chat. */
function refusing(run: () => void): void {
	try {
		run();
	} catch (cause) {
		if (!(cause instanceof CommandFailed)) throw cause;
		throw new CommandRefused(cause.message, { cause });
	}
}
