/** An answer to a request that reaches no session. */

/** What it says. */
export interface Refusal {
	readonly code: number;
	readonly message: string;
	readonly headers?: Readonly<Record<string, string>>;
}

/** A JSON-RPC error that belongs to no request. */
export function refusal(status: number, { code, message, headers = {} }: Refusal): Response {
	return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers });
}
