/** The user's ssh agent, as far as its keys may be offered. */

import { readFileSync } from "node:fs";
import type { BaseAgent } from "ssh2";

/**
 * The agent behind `socket`. With `files` it offers only the keys whose public half lies beside one of them (`file.pub`), as
 * IdentitiesOnly asks. A text is the reason why it cannot be used.
 */
export async function agentWith(socket: string, files: readonly string[] | undefined): Promise<BaseAgent | string> {
	const { createAgent, utils } = await import("ssh2");
	const agent = createAgent(socket);
	const { promise, resolve } = Promise.withResolvers<string | undefined>();
	// An agent that cannot be reached must not end the whole attempt.
	agent.getIdentities((error) => resolve(error ? `the agent ${socket} does not answer` : undefined));
	const problem = await promise;
	if (problem !== undefined || files === undefined) return problem ?? agent;
	const allowed = new Set(files.flatMap((file) => publicKeyBeside(file)));
	const getAll = agent.getIdentities.bind(agent);
	agent.getIdentities = (done) =>
		getAll((error, keys = []) => {
			const own = keys.filter((key) => {
				if (typeof key !== "string" && "pubKey" in key) return false;
				const parsed = utils.parseKey(key);
				return !(parsed instanceof Error) && [parsed].flat().some((one) => allowed.has(base64Of(one)));
			});
			done(error, own);
		});
	return agent;
}

function base64Of(key: { getPublicSSH(): Buffer }): string {
	return key.getPublicSSH().toString("base64");
}

function publicKeyBeside(file: string): string[] {
	try {
		const key = readFileSync(`${file}.pub`, "latin1").split(" ")[1];
		return key === undefined ? [] : [key.trim()];
	} catch {
		// There is no public half: the key file itself is tried later.
		return [];
	}
}
