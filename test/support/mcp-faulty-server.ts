/** An MCP server for tests, without the SDK: well-behaved but for what its first argument, its environment and its tools say. */

const [mode = ""] = process.argv.slice(2);
if (mode === "crash") {
	process.stderr.write("cannot read my settings\n");
	process.exit(3);
}
if (mode === "noisy") process.stderr.write("noise\n".repeat(50_000));
/** Says without end that its tools have changed. */
async function flood(): Promise<never> {
	const news = `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })}\n`.repeat(1_000);
	// Through the stream of the answers: one that came in the middle of a line of these would be lost with it.
	for (;;) await new Promise((resolve) => void process.stdout.write(news, resolve));
}
/** As an npx that is asked to end does not pass it on. */
if (mode === "wrapper") {
	process.on("SIGTERM", () => {});
	const child = Bun.spawn([process.execPath, import.meta.path], { stdio: ["inherit", "inherit", "inherit"] });
	process.exit(await child.exited);
}

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const reply = (id: unknown, result: unknown) => send({ id, result });
const text = (id: unknown, written: string, more = {}) =>
	reply(id, { content: [{ type: "text", text: written }], ...more });
const plain = (name: string) => ({ name, inputSchema: { type: "object", properties: {} } });
const changed = () => send({ method: "notifications/tools/list_changed" });

const firstPage = ["echo", "die", "fail"];
const secondPage = ["slow", "big", "env", "bad.name", "cancelled"];
/** JSON of tools to offer instead, or paths of a file with it, which is read for every list. */
const { TOOLS, TOOLS_FILE, CAPABILITIES } = process.env;
const offered = async (cursor: string | undefined): Promise<object> => {
	if (TOOLS_FILE !== undefined) return { tools: JSON.parse(await Bun.file(TOOLS_FILE).text()) };
	if (TOOLS !== undefined) return { tools: JSON.parse(TOOLS) };
	return cursor === undefined
		? { tools: firstPage.map(plain), nextCursor: "2" }
		: { tools: secondPage.map(plain), nextCursor: mode === "circle" ? "2" : undefined };
};

let cancelled = 0;
/** Calls of `busy` that are open now, and the most there were at once. */
let open = 0;
let most = 0;
/** What is done when the next list was sent. */
let afterList = () => {};

async function call(id: unknown, { name, arguments: args }: { name: string; arguments: Record<string, unknown> }) {
	switch (name) {
		case "die":
			return process.exit(1);
		case "fail":
			return text(id, "wrong argument", { isError: true });
		case "big":
			return text(id, "x".repeat(50_000_000));
		case "endless":
			for (const piece = "x".repeat(1_000_000); ; ) await Bun.write(Bun.stdout, piece);
		case "env":
			return text(id, JSON.stringify(process.env));
		case "cancelled":
			return text(id, String(cancelled));
		case "slow":
			return;
		case "change":
			// The answer comes when the client has asked for the list anew.
			afterList = () => text(id, "changed");
			return changed();
		case "busy":
			most = Math.max(most, ++open);
			await Bun.sleep(50);
			open--;
			return text(id, String(most));
		case "working":
			for (let step = 1; step <= 6; step++) {
				await Bun.sleep(100);
				const { progressToken } = (args as { _meta?: { progressToken?: unknown } })._meta ?? {};
				send({ method: "notifications/progress", params: { progressToken, progress: step, total: 6 } });
			}
			return text(id, "done");
		case "batch": {
			const result = { content: [{ type: "text", text: "in a batch" }] };
			const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "noted" } };
			process.stdout.write(`${JSON.stringify([log, { jsonrpc: "2.0", id, result }])}\n`);
			return;
		}
		case "deep": {
			const depth = 50_000;
			const said = `"content":[{"type":"text","text":"said"}]`;
			const structured = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
			const answer = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${said},"structuredContent":${structured}}}`;
			process.stdout.write(`${answer}\n`);
			return;
		}
		case "answer":
			return reply(id, args.result);
		default:
			return text(id, String(process.pid));
	}
}

for await (const line of console) {
	const { id, method, params } = JSON.parse(line);
	if (mode === "hang") continue;
	if (method === "initialize") {
		const capabilities = CAPABILITIES === undefined ? { tools: { listChanged: true } } : JSON.parse(CAPABILITIES);
		reply(id, { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: "faulty", version: "1" } });
	} else if (method === "tools/list") {
		reply(id, await offered(params?.cursor));
		if (mode === "flood") void flood();
		afterList();
		afterList = () => {};
	} else if (method === "resources/list") {
		const [uri, nextCursor] = params?.cursor === undefined ? ["a:1", "next"] : ["a:2", undefined];
		reply(id, { resources: [{ uri, name: `resource ${uri}` }], nextCursor });
	} else if (method === "resources/read") {
		const contents = [
			{ uri: params.uri, text: `text of ${params.uri}` },
			{ uri: "b:1", blob: "AAAA", mimeType: "image/png" },
		];
		reply(id, { contents });
	} else if (method === "prompts/list") {
		reply(id, { prompts: [{ name: "greet", arguments: [{ name: "who", required: true }] }] });
	} else if (method === "prompts/get") {
		const content = { type: "text", text: `Greet ${params.arguments.who}` };
		reply(id, { messages: [{ role: "user", content }] });
	} else if (method === "notifications/cancelled") cancelled++;
	else if (method === "tools/call") {
		process.stdout.write("this is no JSON\n");
		void call(id, { ...params, arguments: { ...params.arguments, _meta: params._meta } });
	}
}
