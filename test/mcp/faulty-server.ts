/** An MCP server for tests, without the SDK: well-behaved but for what its tools and first argument say. */

const [mode = ""] = process.argv.slice(2);
if (mode === "crash") process.exit(3);
if (mode === "noisy") process.stderr.write("noise\n".repeat(50_000));

const reply = (id: unknown, result: unknown) =>
	process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
const text = (id: unknown, written: string, more = {}) =>
	reply(id, { content: [{ type: "text", text: written }], ...more });
const schema = { type: "object", properties: {} };
const pages: Record<string, object> = {
	"": { tools: ["echo", "die", "fail"].map((name) => ({ name, inputSchema: schema })), nextCursor: "2" },
	"2": { tools: ["slow", "big", "env", "bad.name"].map((name) => ({ name, inputSchema: schema })) },
};

for await (const line of console) {
	const { id, method, params } = JSON.parse(line);
	if (mode === "hang") continue;
	if (method === "initialize") {
		const serverInfo = { name: "faulty", version: "1" };
		reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
	} else if (method === "tools/list") reply(id, pages[params?.cursor ?? ""]);
	else if (method === "tools/call") {
		process.stdout.write("this is no JSON\n");
		if (params.name === "die") process.exit(1);
		else if (params.name === "fail") text(id, "wrong argument", { isError: true });
		else if (params.name === "big") text(id, "x".repeat(50_000_000));
		else if (params.name === "env") text(id, JSON.stringify(process.env));
		else if (params.name === "slow") setTimeout(() => text(id, "late"), 20_000);
		else text(id, String(process.pid));
	}
}
