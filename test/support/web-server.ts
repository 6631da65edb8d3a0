/** Web servers on this machine for tests: pages, what goes wrong with pages, a server with TLS, and a proxy. */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";

export const tlsFolder = join(import.meta.dir, "../fixtures/tls");

export interface WebServer extends AsyncDisposable {
	readonly port: number;
	/** `http://127.0.0.1:PORT`. */
	readonly url: string;
	/** `Host: PATH` of each request. */
	readonly requests: string[];
}

type Answer = Response | (() => Response | Promise<Response>);

/** Serves `pages` by path; what is missing is a 404. */
export function startWebServer(pages: Readonly<Record<string, Answer>>, options: { tls?: boolean } = {}): WebServer {
	const requests: string[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		idleTimeout: 0,
		...(options.tls === true && {
			tls: { cert: Bun.file(join(tlsFolder, "server.crt")), key: Bun.file(join(tlsFolder, "server.key")) },
		}),
		async fetch(request): Promise<Response> {
			const { pathname, search } = new URL(request.url);
			requests.push(`${request.headers.get("host")} ${pathname}${search}`);
			const page = pages[pathname] ?? new Response("nothing here", { status: 404 });
			return typeof page === "function" ? page() : (page.clone() as Response);
		},
	});
	const port = server.port ?? 0;
	return { port, url: `http://127.0.0.1:${port}`, requests, [Symbol.asyncDispose]: () => server.stop(true) };
}

export function html(body: string): Response {
	return new Response(body, { headers: { "content-type": "text/html; charset=utf-8" } });
}

export function typed(body: string | Uint8Array<ArrayBuffer>, contentType: string): Response {
	return new Response(body, { headers: { "content-type": contentType } });
}

export function redirect(location: string, status = 302): Response {
	return new Response(null, { status, headers: { location } });
}

/** A PDF of one page for each text. */
export function pdfOf(pages: readonly string[]): Uint8Array<ArrayBuffer> {
	const kids = pages.map((_, index) => `${3 + index * 2} 0 R`).join(" ");
	const font = "<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>";
	const objects = ["<< /Type /Catalog /Pages 2 0 R >>", `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`];
	for (const [index, text] of pages.entries()) {
		const stream = `BT /F 18 Tf 72 700 Td (${text}) Tj ET`;
		objects.push(
			`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources ${font} /Contents ${4 + index * 2} 0 R >>`,
			`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
		);
	}
	let file = "%PDF-1.4\n";
	const offsets = objects.map((object, index) => {
		const offset = file.length;
		file += `${index + 1} 0 obj\n${object}\nendobj\n`;
		return offset;
	});
	const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
	const size = objects.length + 1;
	const start = file.length;
	file += `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF`;
	return new Uint8Array(Buffer.from(file, "latin1"));
}

export interface Proxy extends AsyncDisposable {
	readonly url: string;
	/** The first line of each request. */
	readonly requests: string[];
}

/** A proxy that takes every address for that of the server at `port`: what it was asked for can be read afterwards. */
export async function startProxy(port: number): Promise<Proxy> {
	const requests: string[] = [];
	const sockets = new Set<Socket>();
	const server = createServer((client) => {
		sockets.add(client);
		client.on("error", () => client.destroy());
		client.once("data", (head) => {
			const text = head.toString("latin1");
			requests.push(text.split("\r\n", 1)[0] ?? "");
			const upstream = connect(port, "127.0.0.1");
			sockets.add(upstream);
			upstream.on("error", () => client.destroy());
			if (text.startsWith("CONNECT")) client.write("HTTP/1.1 200 OK\r\n\r\n");
			else upstream.write(head);
			client.pipe(upstream).pipe(client);
		});
	});
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		requests,
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			server.close();
		},
	};
}
