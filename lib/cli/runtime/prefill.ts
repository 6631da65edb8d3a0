/** Messages of the user's own that stand before every conversation, as examples of how it should go. */

import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { attempt } from "../../base/attempt.ts";
import type { Message } from "../../base/conversation.ts";
import { ConfigInvalid } from "../../config/config-invalid.ts";
import { readText } from "../../config/files.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Cli } from "../subcommand.ts";

const examples = z.array(z.object({ role: z.enum(["user", "assistant"]), content: z.string().min(1) }));

interface Homes {
	readonly environment: Pick<Cli["environment"], "home" | "hermesHome">;
}

const key = "prefill_messages_file";

/**
 * The messages of the file that the settings name, relative to HERMES_HOME; none when they name none. They are sent and never kept.
 * @throws {ConfigInvalid} When the file is not there, or holds something else.
 */
export function prefillMessages({ environment }: Homes, config: LoadedConfig): readonly Message[] {
	const named = config.get(key).trim();
	if (named === "") return [];
	const written = named.replace(/^~(?=\/)/, () => environment.home);
	const path = isAbsolute(written) ? written : join(environment.hermesHome, written);
	const text = readText(path);
	if (text === undefined) throw new ConfigInvalid(`Cannot use ${key} "${named}": there is no file "${path}"`);
	const parsed = attempt((): unknown => JSON.parse(text));
	const read = examples.safeParse(parsed.ok ? parsed.value : undefined);
	if (!read.success) {
		const wanted = 'a JSON list of {"role": "user" or "assistant", "content": TEXT}';
		throw new ConfigInvalid(`Cannot use ${key} "${named}": expected ${wanted}`);
	}
	return read.data.map(({ role, content }) =>
		role === "user" ? { role, content } : { role, content, toolCalls: [], finishReason: "stop" },
	);
}
