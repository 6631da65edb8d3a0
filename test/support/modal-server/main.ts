/** The server as a process of its own: it says its two addresses on a line and obeys what is posted to the second. */

import { createServer, ServerError, Status } from "nice-grpc";
import { Conduct } from "./conduct.ts";
import { controlPlane } from "./control-plane.ts";
import { loadDefinitions } from "./definitions.ts";
import { router } from "./router.ts";
import type { Method, ServerImpl } from "./server-impl.ts";
import type { Order, Seen } from "./switches.ts";
import { endings, World } from "./world.ts";

const [rootFolder = ""] = process.argv.slice(2);
const definitions = await loadDefinitions();
const world = await World.open(rootFolder);
const conduct = new Conduct(definitions.retryPolicy);
const built: (readonly string[])[] = [];
const execLimits: number[] = [];
let port = 0;

const server = createServer({
	"grpc.max_receive_message_length": 100 * 1024 * 1024,
	"grpc.max_send_message_length": 100 * 1024 * 1024,
});
const plane = controlPlane({ world, conduct, built, routerUrl: () => `https://127.0.0.1:${port}` });
server.add(definitions.control, implementation(definitions.control, plane));
server.add(definitions.router, implementation(definitions.router, router(world, conduct, execLimits)));
port = await server.listen("127.0.0.1:0");

const control = Bun.serve({
	hostname: "127.0.0.1",
	port: 0,
	async fetch(request) {
		return Response.json(await obey((await request.json()) as Order));
	},
});
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, control: `${control.url}` })}\n`);

for await (const _chunk of process.stdin) {
	// Whoever started the server holds its input; the end of that is the end of the server.
}
server.forceShutdown();
await world[Symbol.asyncDispose]();
process.exit(0);

/** Every method of the service: what is not there answers that it is not there. */
function implementation(definition: ServerImpl["definition"], methods: Readonly<Record<string, Method>>) {
	const missing = (name: string) => () => {
		throw new ServerError(Status.UNIMPLEMENTED, `${name} is not implemented`);
	};
	const names = Object.keys("methods" in definition ? (definition.methods as object) : definition);
	// biome-ignore lint/suspicious/noExplicitAny: the real types are those of a thousand messages
	return Object.fromEntries(names.map((name) => [name, methods[name] ?? missing(name)])) as any;
}

async function obey(order: Order): Promise<Seen> {
	if (order.do === "switch") conduct.switches = { ...conduct.switches, ...order.switches };
	if (order.do === "expire")
		await Promise.all(
			[...world.sandboxes.values()]
				.filter(({ ended }) => ended === undefined)
				.map((sandbox) => world.end(sandbox, endings.timeout)),
		);
	if (order.do === "lose-snapshots") for (const id of world.snapshots) world.images.delete(id);
	return seen();
}

function seen(): Seen {
	return {
		calls: conduct.calls,
		sandboxes: [...world.sandboxes.values()].map(({ id, wanted, ended }) => ({
			...wanted,
			id,
			isAlive: ended === undefined,
		})),
		snapshots: world.snapshots,
		built,
		execLimits,
	};
}
