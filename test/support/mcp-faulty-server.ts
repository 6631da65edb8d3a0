/** An MCP server for tests, without the SDK: well-behaved but for what its tools and first argument say. */

const [mode = ""] = process.argv.slice(2);
if (mode === "crash") {
	process.stderr.write("cannot read my settings\n");
	process.exit(3);
}
if (mode === "noisy") process.stderr.write("noise\n".repeat(50_000));

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const reply = (id: unknown, result: unknown) => send({ id, result });
const text = (id: unknown, written: string, more = {}) =>
	reply(id, { content: [{ type: "text", text: written }], ...more });
const schema = { type: "object", properties: {} };
const tool = (name: string, more = {}) => ({ name, inputSchema: schema, ...more });
const pages: Record<string, object> = {
	"": { tools: ["echo", "die", "fail"].map((name) => tool(name)), nextCursor: "2" },
	"2": { tools: ["slow", "big", "env", "bad.name", "cancelled"].map((name) => tool(name)) },
};
let cancelled = 0;

for await (const line of console) {
	const { id, method, params } = JSON.parse(line);
	if (mode === "hang") continue;
	if (method === "initialize") {
		const serverInfo = { name: "faulty", version: "1" };
		reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
	} else if (method === "tools/list") reply(id, pages[params?.cursor ?? ""]);
	else if (method === "notifications/cancelled") cancelled++;
	else if (method === "tools/call") {
		process.stdout.write("this is no JSON\n");
		if (params.name === "die") process.exit(1);
		else if (params.name === "fail") text(id, "wrong argument", { isError: true });
		else if (params.name === "big") text(id, "x".repeat(50_000_000));
		else if (params.name === "env") text(id, JSON.stringify(process.env));
		else if (params.name === "cancelled") text(id, String(cancelled));
		else if (params.name !== "slow") text(id, String(process.pid));
	}
}
