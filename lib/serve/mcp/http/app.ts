/** The HTTP side of an MCP server: who may come in, and where. */

import { Hono } from "hono";
import { carriesKey } from "./access-key.ts";
import { type AllowedHosts, callerProblem } from "./callers.ts";
import type { HttpClients } from "./clients.ts";
import { refusal } from "./refusal.ts";

/** The one address. */
export const mcpPath = "/mcp";

const serverError = -32_000;

/** What the app works with. */
export interface AppOptions {
	readonly clients: HttpClients;
	/** What clients must send; left out, everybody may come in that reaches the address. */
	readonly key: string | undefined;
	readonly allowedHosts: AllowedHosts;
	/** Told of those that were not let in; never what they sent. */
	onRefused(reason: string): void;
	/** Told of what went wrong here; the client is not. */
	onFailed(cause: unknown): void;
}

/** The app, not yet listening. */
export function createApp({ clients, key, allowedHosts, onRefused, onFailed }: AppOptions): Hono {
	const app = new Hono();
	app.use(async ({ req }, next) => {
		const problem = callerProblem(req.raw.headers, allowedHosts);
		if (problem === undefined) return await next();
		onRefused(problem);
		return refusal(403, { code: serverError, message: problem });
	});
	app.use(async ({ req }, next) => {
		if (key === undefined || carriesKey(req.header("authorization"), key)) return await next();
		onRefused("no key, or a wrong one");
		const message = "Send the key of this server as Authorization: Bearer KEY";
		return refusal(401, { code: serverError, message, headers: { "WWW-Authenticate": 'Bearer realm="hermes"' } });
	});
	app.all(mcpPath, ({ req }) => clients.handle(req.raw));
	app.notFound(() => refusal(404, { code: serverError, message: `There is nothing here; the address is ${mcpPath}` }));
	app.onError((cause) => {
		onFailed(cause);
		return refusal(500, { code: serverError, message: "The server failed; its log says why" });
	});
	return app;
}
