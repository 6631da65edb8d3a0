/** The services of Modal's protocol, which stand in its library without being exported. */

import type { ServerImpl } from "./server-impl.ts";

/** What the library's bundle holds. */
export interface Definitions {
	readonly control: ServerImpl["definition"];
	readonly router: ServerImpl["definition"];
	/** Details of a status that ask for patience. */
	retryPolicy(seconds: number, code: number, message: string): Uint8Array;
}

interface Message {
	encode(message: unknown): { finish(): Uint8Array };
}

const names = ["ModalClientDefinition", "TaskCommandRouterDefinition", "RPCStatus", "RPCRetryPolicy"] as const;

/** Loads the library with its services exported. Only for a process that uses it for nothing else. */
export async function loadDefinitions(): Promise<Definitions> {
	Bun.plugin({
		name: "modal-definitions",
		setup(build) {
			build.onLoad({ filter: /[\\/]modal[\\/]dist[\\/]index\.js$/ }, async ({ path }) => ({
				contents: `${await Bun.file(path).text()}\nexport { ${names.join(", ")} };\n`,
				loader: "js",
			}));
		},
	});
	const bundle = (await import("modal")) as unknown as Record<(typeof names)[number], unknown>;
	const missing = names.filter((name) => bundle[name] === undefined);
	if (missing.length > 0) throw new Error(`Cannot find in the bundle of modal: ${missing.join(", ")}`);
	const status = bundle.RPCStatus as Message;
	const policy = bundle.RPCRetryPolicy as Message;
	return {
		control: bundle.ModalClientDefinition as ServerImpl["definition"],
		router: bundle.TaskCommandRouterDefinition as ServerImpl["definition"],
		retryPolicy: (seconds, code, message) => {
			const value = policy.encode({ retryAfterSecs: seconds }).finish();
			const details = [{ typeUrl: "type.googleapis.com/modal.client.RPCRetryPolicy", value }];
			return status.encode({ code, message, details }).finish();
		},
	};
}
