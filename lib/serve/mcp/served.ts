/** What an MCP server offers, apart from how its clients reach it: tools, and one session for each client. */

import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type {
	CallToolResult,
	Resource as ListedResource,
	Tool as ListedTool,
	ResourceTemplate,
	ServerNotification,
	ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";

/** A tool as `tools/list` shows it. */
export type ServedTool = ListedTool;

/** The client that waits for a call. What goes through it belongs to the call, so it takes the way of its answer. */
export type Peer = Pick<
	RequestHandlerExtra<ServerRequest, ServerNotification>,
	"sendRequest" | "sendNotification" | "closeSSEStream"
> & {
	/** The client shows its user a form and sends back what was filled in. */
	readonly canElicit: boolean;
};

/** One call. */
export interface ServedCall {
	readonly name: string;
	readonly arguments: Readonly<Record<string, unknown>>;
	/** Aborted when the client cancels the call or has gone away. */
	readonly signal: AbortSignal;
	/** Shows what a call prints while it runs. */
	onOutput(text: string): void;
	readonly peer: Peer;
}

/** What one client works with. Disposing it ends what runs and gives up everything that was opened for it. */
export interface ServedSession extends AsyncDisposable {
	/** As they are now, in an order that stays. */
	tools(): Promise<readonly ServedTool[]>;
	/** Failures of a tool are results with `isError`; what is thrown is a fault of the server. */
	call(call: ServedCall): Promise<CallToolResult>;
}

/** Speaks to the client of a session without being asked: log messages. Never throws. */
export type TellClient = (level: "info" | "warning", text: string) => void;

/** What is in a resource: text, or bytes in base64. */
export type ServedContent = { readonly mimeType: string } & ({ readonly text: string } | { readonly blob: string });

/** What users of clients may attach to their conversations. The same for every client. */
export interface ServedResources {
	readonly templates: readonly ResourceTemplate[];
	list(): Promise<readonly ListedResource[]>;
	/** Undefined when nothing is at `uri`. */
	read(uri: string): Promise<ServedContent | undefined>;
}

/** What is served. */
export interface Served {
	/** Left out where there is nothing but tools. */
	readonly resources?: ServedResources;
	/** The name and version that clients see. */
	readonly name: string;
	readonly version: string;
	/** What the model of a client is told about all of it. */
	readonly instructions: string;
	/** A new client has come. Opens nothing that takes long: that is for the first call. */
	openSession(tell: TellClient): ServedSession;
}
