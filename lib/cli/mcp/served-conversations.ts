/** The conversations of this HERMES_HOME as an MCP server offers them. */

import type { LoadedConfig } from "../../config/load.ts";
import { createRedactor } from "../../security/redact.ts";
import { serveConversations } from "../../serve/mcp/conversations/serve-conversations.ts";
import type { Served } from "../../serve/mcp/served.ts";
import { openHomeStore } from "../runtime/open-home-store.ts";
import type { Cli } from "../subcommand.ts";

/** @throws {HermesHomeUnusable | StoreRefused} When the store cannot be used. */
export function openServedConversations(cli: Cli, config: LoadedConfig): Served & Disposable {
	const store = openHomeStore(cli, config, (text) => cli.stderr.write(`hermes: ${text}\n`));
	const redact = config.get("security.redact_secrets") ? createRedactor(config.secrets) : (text: string) => text;
	return { ...serveConversations({ store, version: cli.version, redact }), [Symbol.dispose]: () => store.close() };
}
