/** The services of the web tools on this machine: they answer in the shape that each maker documents, or fail on request. */

/** How a service goes wrong. */
export type ServiceFault = "401" | "403" | "429" | "500" | "html" | "wrong-shape" | "never" | "redirect" | "empty";

export interface WebServices extends AsyncDisposable {
	/** Variables that set every service up with this server as its address. */
	readonly variables: Readonly<Record<string, string>>;
	/** `POST /tavily/search`, with what was sent. */
	readonly requests: { readonly asked: string; readonly key: string; readonly body: unknown }[];
	/** By service. */
	readonly faults: Map<string, ServiceFault>;
}

const key = "test-key-0123456789";

interface Asked {
	readonly path: string;
	readonly query: URLSearchParams;
	readonly body: Record<string, unknown>;
}

export function startWebServices(): WebServices {
	const requests: WebServices["requests"] = [];
	const faults: WebServices["faults"] = new Map();
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		idleTimeout: 0,
		async fetch(request) {
			const url = new URL(request.url);
			const [, service = "", ...rest] = url.pathname.split("/");
			const path = rest.join("/");
			const body = request.method === "POST" ? ((await request.json()) as Record<string, unknown>) : {};
			const { headers } = request;
			const sent =
				headers.get("authorization") ?? headers.get("x-api-key") ?? headers.get("x-subscription-token") ?? "";
			const asked = `${request.method} ${url.pathname}${url.search}`;
			requests.push({ asked, key: sent, body: request.method === "POST" ? body : undefined });
			const fault = faults.get(service);
			if (fault !== undefined) return failure(fault, service);
			const answer = answers[service]?.({ path, query: url.searchParams, body });
			return answer === undefined ? new Response("not found", { status: 404 }) : Response.json(answer);
		},
	});
	const base = `http://127.0.0.1:${server.port}`;
	return {
		requests,
		faults,
		variables: {
			TAVILY_API_KEY: key,
			TAVILY_BASE_URL: `${base}/tavily`,
			EXA_API_KEY: key,
			EXA_BASE_URL: `${base}/exa/`,
			PARALLEL_API_KEY: key,
			PARALLEL_BASE_URL: `${base}/parallel`,
			FIRECRAWL_API_KEY: key,
			FIRECRAWL_API_URL: `${base}/firecrawl`,
			SEARXNG_URL: `${base}/searxng/`,
			BRAVE_SEARCH_API_KEY: key,
			BRAVE_SEARCH_BASE_URL: `${base}/brave`,
		},
		[Symbol.asyncDispose]: () => server.stop(true),
	};
}

function failure(fault: ServiceFault, service: string): Response | Promise<Response> {
	switch (fault) {
		case "401":
			return Response.json({ error: { message: `invalid key ${key}` } }, { status: 401 });
		case "403":
			return new Response("<html>Forbidden</html>", { status: 403 });
		case "429":
			return Response.json({ error: "rate limit exceeded" }, { status: 429 });
		case "html":
			return new Response("<!doctype html><p>Welcome to nginx!");
		case "wrong-shape":
			return Response.json({ results: "none" });
		case "redirect":
			return new Response(null, { status: 302, headers: { location: "http://elsewhere.invalid/" } });
		case "empty":
			return Response.json(
				service === "searxng"
					? { results: [], unresponsive_engines: [["bing", "timeout"]] }
					: { success: true, results: [] },
			);
		case "never":
			return new Promise(() => {});
		default:
			return new Response("oops", { status: 500 });
	}
}

const found = (service: string, count: number) =>
	Array.from({ length: count }, (_, index) => ({
		title: `${service} ${index + 1}`,
		url: `https://${service}.example/${index + 1}`,
	}));

const isLost = (url: unknown) => String(url).includes("lost");

const answers: Readonly<Record<string, (asked: Asked) => unknown>> = {
	tavily({ path, body }) {
		if (path === "search") {
			const results = found("tavily", Number(body.max_results)).map((hit) => ({
				...hit,
				content: "About it",
				score: 0.9,
			}));
			return { query: body.query, answer: null, images: [], results, response_time: 0.1 };
		}
		const [url] = body.urls as string[];
		return isLost(url)
			? { results: [], failed_results: [{ url, error: "Failed to fetch url" }], response_time: 0.1 }
			: { results: [{ url, raw_content: "# By tavily", images: [] }], failed_results: [], response_time: 0.1 };
	},
	exa({ path, body }) {
		if (path === "search") {
			const results = found("exa", Number(body.numResults)).map((hit) => ({
				id: hit.url,
				...hit,
				highlights: ["one", "two"],
			}));
			return { requestId: "r", resolvedSearchType: "neural", results };
		}
		const [url] = body.urls as string[];
		return isLost(url)
			? {
					results: [],
					statuses: [{ id: url, status: "error", error: { tag: "CRAWL_NOT_FOUND", httpStatusCode: 404 } }],
				}
			: { results: [{ id: url, url, title: "Exa's", text: "By exa" }], statuses: [{ id: url, status: "success" }] };
	},
	parallel({ path, body }) {
		if (path === "v1/search") {
			const { max_results: count } = body.advanced_settings as { max_results: number };
			const results = found("parallel", count).map((hit) => ({ ...hit, publish_date: null, excerpts: ["one", "two"] }));
			return { search_id: "s", results, warnings: null, usage: [] };
		}
		const [url] = body.urls as string[];
		return isLost(url)
			? {
					extract_id: "e",
					results: [],
					errors: [{ url, error_type: "fetch_error", http_status_code: 500, content: "" }],
				}
			: { extract_id: "e", results: [{ url, title: "P", excerpts: ["x"], full_content: "By parallel" }], errors: [] };
	},
	firecrawl({ path, body }) {
		if (path === "v2/search") {
			const web = found("firecrawl", Number(body.limit)).map((hit) => ({
				...hit,
				description: "About it",
				position: 1,
			}));
			return { success: true, data: { web }, creditsUsed: 1 };
		}
		const url = String(body.url);
		if (isLost(url)) return { success: false, error: "The URL failed to load" };
		const target = url.includes("inward") ? "http://169.254.169.254/latest" : url;
		const metadata = { title: "F", sourceURL: url, url: target, statusCode: 200 };
		return {
			success: true,
			data: { markdown: `By firecrawl ![x](data:image/png;base64,${"A".repeat(80)})`, metadata },
		};
	},
	searxng({ path, query }) {
		if (path !== "search" || query.get("format") !== "json") return undefined;
		const page = Number(query.get("pageno"));
		const results = found("searxng", 30)
			.slice((page - 1) * 10, page * 10)
			.map((hit) => ({ ...hit, content: "About  it", engine: "duckduckgo", score: 1 }));
		return { query: query.get("q"), number_of_results: 0, results, answers: [], unresponsive_engines: [] };
	},
	brave({ path, query }) {
		if (path !== "res/v1/web/search") return undefined;
		const results = found("brave", Number(query.get("count"))).map((hit) => ({
			...hit,
			title: `<strong>${hit.title}</strong> &amp; more`,
			description: "About <strong>it</strong> &#x27;quoted&#x27;",
		}));
		return { type: "search", query: { original: query.get("q") }, web: { type: "search", results } };
	},
};
