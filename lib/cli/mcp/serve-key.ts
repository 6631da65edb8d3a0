/** The key that clients of `hermes mcp serve --http` must send. */

import { join } from "node:path";
import { checkedKey, KeyUnusable, keepKey, readKeyFile } from "../../serve/mcp/http/access-key.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import type { ServeFlags } from "./serve.ts";

/** A key, and where it is from in words. */
export interface ServeKey {
	readonly key: string;
	readonly origin: string;
}

/** The key that the flags name, or the one of this HERMES_HOME. @throws {CommandFailed} When there is none that can be used. */
export function serveKey(cli: Cli, { keyEnv, keyFile }: ServeFlags): ServeKey {
	try {
		if (keyEnv !== undefined) {
			const key = cli.environment.variables[keyEnv];
			if (!key) throw new KeyUnusable(`Cannot use the key of ${keyEnv}: that variable is not set`);
			return { key: checkedKey(key, keyEnv), origin: keyEnv };
		}
		if (keyFile !== undefined) return { key: readKeyFile(keyFile), origin: keyFile };
		const path = join(cli.environment.hermesHome, "mcp-serve.key");
		return { key: keepKey(path), origin: path };
	} catch (cause) {
		if (cause instanceof KeyUnusable) throw new CommandFailed(cause.message, { cause });
		throw cause;
	}
}
