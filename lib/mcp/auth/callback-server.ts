/** Where the browser comes back to after a login: an address of this machine that lives as long as the login. */

/** Why there is no code. */
export class LoginDenied extends Error {
	override readonly name = "LoginDenied";
}

/** An open address. Disposing it closes it. */
export interface Callback extends AsyncDisposable {
	/** `http://127.0.0.1:PORT/callback`. */
	readonly url: string;
	/** The code, once the browser has come back. Rejects with {LoginDenied} when the user or the service said no. */
	readonly code: Promise<string>;
}

/** What must come back with the code. */
export interface Expected {
	readonly state: string;
	/** Who may have given the code, and whether the service always says that in its answer (RFC 9207). */
	issuer?(): { readonly name: string; readonly isAlwaysNamed: boolean } | undefined;
}

/**
 * Listens on `port`, or any when it is 0. A wrong `state` is answered and otherwise ignored: any page can call this address.
 * @throws {Error} When the port is taken.
 */
export function openCallback(port: number, expected: Expected): Callback {
	const { promise: code, resolve, reject } = Promise.withResolvers<string>();
	// Its end may come when nobody waits for it any more.
	code.catch(() => undefined);
	const server = serveAt(port, (request) => {
		const url = new URL(request.url);
		if (url.pathname !== "/callback") return page("There is nothing here.", 404);
		const read = readAnswer(url.searchParams, expected);
		if (read.kind === "foreign") return page("This is no answer to the login that is under way.", 400);
		if (read.kind === "code") resolve(read.code);
		else reject(new LoginDenied(read.reason));
		return page(
			read.kind === "code" ? "hermes is logged in. This page can be closed." : `Not logged in: ${read.reason}`,
		);
	});
	return {
		url: `http://127.0.0.1:${server.port}/callback`,
		code,
		// The last page is still on its way.
		[Symbol.asyncDispose]: () => server.stop(),
	};
}

/** What came back: as the parameters of an address. */
export type LoginAnswer =
	| { readonly kind: "code"; readonly code: string }
	| { readonly kind: "denied"; readonly reason: string }
	| { readonly kind: "foreign" };

/** Reads the parameters that a service puts behind the address of the callback. */
export function readAnswer(parameters: URLSearchParams, { state, issuer }: Expected): LoginAnswer {
	if (parameters.get("state") !== state) return { kind: "foreign" };
	const from = parameters.get("iss");
	const wanted = issuer?.();
	if (wanted !== undefined && (from === null ? wanted.isAlwaysNamed : from !== wanted.name)) {
		return { kind: "denied", reason: `the answer is from ${from ?? "nobody"}, not from ${wanted.name}` };
	}
	const code = parameters.get("code");
	if (code) return { kind: "code", code };
	const error = parameters.get("error") ?? "there is no code in the answer";
	const description = parameters.get("error_description");
	return { kind: "denied", reason: description ? `${error}: ${description}` : error };
}

function serveAt(port: number, fetch: (request: Request) => Response) {
	try {
		// With NODE_ENV=production Bun would share the port, and the browser could come back to another login.
		return Bun.serve({ port, hostname: "127.0.0.1", reusePort: false, fetch });
	} catch (cause) {
		throw new Error(
			`Cannot listen on port ${port} for the browser: it is taken; end what uses it, or set oauth.redirect_port to another one or to 0`,
			{ cause },
		);
	}
}

/** Plain text: what a service says of an error must not become a page of ours. */
function page(text: string, status = 200): Response {
	return new Response(text, { status, headers: { "content-type": "text/plain; charset=utf-8", connection: "close" } });
}
