/** The contract of a service that searches the web or reads its pages for us. */

/** One result of a search. */
export interface SearchHit {
	readonly title: string;
	readonly url: string;
	readonly description: string;
}

/** What is looked for. `limit` is from 1 to 100; a service gives what it can. */
export interface SearchRequest {
	readonly query: string;
	readonly limit: number;
}

/** A page as a service read it: its text as markdown, or why there is none. */
export type ExtractedPage =
	| { readonly ok: true; readonly title: string; readonly text: string; readonly finalUrl?: string | undefined }
	| { readonly ok: false; readonly error: string };

/** What a service works with. */
export interface ServiceContext {
	readonly variables: Readonly<Record<string, string>>;
	readonly signal: AbortSignal;
}

/** One service. Its methods throw `ServiceFailed` when it does not answer as it should. */
export interface WebService {
	/** The name in `web.backend`. */
	readonly id: string;
	/** The variables that set it up: one of them is enough. */
	readonly needs: readonly string[];
	search?(request: SearchRequest, context: ServiceContext): Promise<readonly SearchHit[]>;
	/** One page; several are asked for side by side. */
	extract?(url: string, context: ServiceContext): Promise<ExtractedPage>;
}
