/** Starts a server that speaks Modal's protocol and runs commands in real sandboxes of this machine, for tests. */

import { join } from "node:path";
import { serviceVariable } from "../required-service.ts";
import { account } from "./control-plane.ts";
import type { Order, Seen, Switches } from "./switches.ts";

/** A running server. Disposing it ends its sandboxes too. */
export interface ModalServer extends AsyncDisposable {
	/** What makes the real library use it. */
	readonly variables: Readonly<Record<string, string>>;
	set(switches: Partial<Switches>): Promise<void>;
	/** Ends all sandboxes, as if their time were over. */
	expire(): Promise<void>;
	loseSnapshots(): Promise<void>;
	look(): Promise<Seen>;
}

/** @throws {Error} When sandboxes cannot be had here. */
export async function startModalServer(): Promise<ModalServer> {
	const root = serviceVariable("HERMES_TEST_ROOTFS");
	const main = join(import.meta.dir, "main.ts");
	const child = Bun.spawn([process.execPath, main, root], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
	const { url, control } = await addresses(child.stdout);
	const order = async (what: Order): Promise<Seen> => {
		const answer = await fetch(control, { method: "POST", body: JSON.stringify(what) });
		return (await answer.json()) as Seen;
	};
	return {
		variables: {
			MODAL_SERVER_URL: url,
			MODAL_TOKEN_ID: account.tokenId,
			MODAL_TOKEN_SECRET: account.tokenSecret,
		},
		set: async (switches) => void (await order({ do: "switch", switches })),
		expire: async () => void (await order({ do: "expire" })),
		loseSnapshots: async () => void (await order({ do: "lose-snapshots" })),
		look: () => order({ do: "look" }),
		async [Symbol.asyncDispose]() {
			child.stdin.end();
			await child.exited;
		},
	};
}

async function addresses(output: ReadableStream<Uint8Array>): Promise<{ url: string; control: string }> {
	let text = "";
	for await (const chunk of output) {
		text += Buffer.from(chunk).toString("utf8");
		if (text.includes("\n")) return JSON.parse(text.slice(0, text.indexOf("\n")));
	}
	throw new Error("Cannot start the Modal server: it ended");
}
