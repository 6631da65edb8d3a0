/** Offers a server, one after the other, what a user can log in with. */

import type { AnyAuthMethod, AuthenticationType, AuthHandlerMiddleware, KeyboardInteractiveAuthMethod } from "ssh2";
import type { Destination } from "../configuration/destination.ts";
import { agentWith } from "./agent.ts";
import type { Asker } from "./asker.ts";
import { readKeyFile } from "./key-files.ts";

/** An attempt to log in, and what happened to the ways that are not possible. */
export interface Authentication {
	readonly handler: AuthHandlerMiddleware;
	/** Why the login failed, for a person: what was tried, what the server wants, what could not be tried. */
	explain(): string;
}

/** How often a password is asked for, as in OpenSSH. */
const passwordTries = 3;

/** One way in. It is prepared when its turn comes, so that nobody is asked for a passphrase in vain. */
interface Way {
	readonly wire: AuthenticationType;
	readonly name: string;
	prepare(): Promise<AnyAuthMethod | undefined>;
}

/**
 * Ways for one attempt to log in: own key, agent, key files, then questions to the user. `giveUp` is called when none is left;
 * then the attempt waits for nothing any more.
 */
export function createAuthentication(destination: Destination, asker: Asker, giveUp: () => void): Authentication {
	const problems = new Set<string>();
	const tried: string[] = [];
	let wanted: readonly AuthenticationType[] | undefined;
	const ways = waysOf(destination, asker, {
		tell: (problem) => problems.add(problem),
		decline() {
			problems.add("the user gave no answer");
			giveUp();
		},
	});
	const next = async (): Promise<AnyAuthMethod | undefined> => {
		for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
			if (wanted?.includes(way.wire) === false) continue;
			const method = await way.prepare();
			if (method === undefined) continue;
			tried.push(way.name);
			return method;
		}
		return undefined;
	};
	return {
		handler(methodsLeft: readonly AuthenticationType[] | null, _partialSuccess, give) {
			// A server tells what it takes when it refuses; this also lets in whoever needs no key (Tailscale).
			if (methodsLeft === null) return give({ type: "none", username: destination.user });
			wanted = methodsLeft;
			next().then(
				(method) => (method === undefined ? giveUp() : give(method)),
				(cause) => {
					problems.add(String(cause));
					giveUp();
				},
			);
		},
		explain() {
			const offered = tried.length === 0 ? "there was nothing to log in with" : `tried ${tried.join(", ")}`;
			return [`${offered}; the server takes ${wanted?.join(", ") ?? "nothing"}`, ...problems].join("; ");
		},
	};
}

/** What a way has to say besides being tried. */
interface Listener {
	tell(problem: string): void;
	/** The user will not answer: there is nothing more to try. */
	decline(): void;
}

function waysOf(destination: Destination, asker: Asker, listener: Listener): Way[] {
	const { identities } = destination;
	const { tell } = listener;
	const keys = identities.files.map((path) => keyWay(path, destination, { asker, tell }));
	const own = identities.ownKey === undefined ? [] : [keyWay(identities.ownKey, destination, { asker, tell })];
	return [...own, ...agentWays(destination, tell), ...keys, ...questionWays(destination, asker, listener)];
}

function keyWay(
	path: string,
	{ user: username }: Destination,
	{ asker, tell }: { readonly asker: Asker; readonly tell: (problem: string) => void },
): Way {
	return {
		wire: "publickey",
		name: path,
		async prepare() {
			const file = await readKeyFile(path, asker);
			if (file === undefined) return undefined;
			if ("key" in file) return { type: "publickey", username, key: file.key };
			tell(file.problem);
			return undefined;
		},
	};
}

function agentWays({ identities, user: username }: Destination, tell: (problem: string) => void): Way[] {
	const { agent: socket, areExclusive, files, ownKey } = identities;
	if (socket === undefined) return [];
	const only = areExclusive ? [...(ownKey === undefined ? [] : [ownKey]), ...files] : undefined;
	const prepare = async (): Promise<AnyAuthMethod | undefined> => {
		const agent = await agentWith(socket, only);
		if (typeof agent !== "string") return { type: "agent", username, agent };
		tell(agent);
		return undefined;
	};
	return [{ wire: "publickey", name: "the agent", prepare }];
}

function questionWays(destination: Destination, asker: Asker, { tell, decline }: Listener): Way[] {
	const { user: username, host } = destination;
	if (!asker.canAsk) {
		const prepare = async () => {
			tell("nobody is here to answer the server's questions");
			return undefined;
		};
		return [
			{ wire: "keyboard-interactive", name: "", prepare },
			{ wire: "password", name: "", prepare },
		];
	}
	return Array.from({ length: passwordTries }, (_, attempt): Way[] => {
		const isFresh = attempt > 0;
		return [
			{
				wire: "keyboard-interactive",
				name: "keyboard-interactive",
				prepare: async () => ({
					type: "keyboard-interactive",
					username,
					prompt: (...[, instructions, , prompts, finish]: Parameters<KeyboardInteractiveAuthMethod["prompt"]>) =>
						void answerAll(asker, { instructions, prompts, isFresh, who: `${username}@${host}` }).then((answers) =>
							answers === undefined ? decline() : finish(answers),
						),
				}),
			},
			{
				wire: "password",
				name: "password",
				async prepare() {
					const text = `${username}@${host}'s password: `;
					const password = await asker.ask({ text, isSecret: true }, { isFresh });
					if (password !== undefined) return { type: "password", username, password };
					decline();
					return undefined;
				},
			},
		];
	}).flat();
}

/** Answers a server's prompts in their order; undefined when the user declines one. */
async function answerAll(
	asker: Asker,
	asked: {
		readonly instructions: string;
		readonly prompts: readonly { readonly prompt: string; readonly echo?: boolean }[];
		readonly isFresh: boolean;
		readonly who: string;
	},
): Promise<string[] | undefined> {
	const answers: string[] = [];
	const lead = asked.instructions === "" ? "" : `${asked.instructions}\n`;
	for (const { prompt, echo } of asked.prompts) {
		const text = `${lead}(${asked.who}) ${prompt}`;
		const answer = await asker.ask({ text, isSecret: echo !== true }, { isFresh: asked.isFresh });
		if (answer === undefined) return undefined;
		answers.push(answer);
	}
	return answers;
}
