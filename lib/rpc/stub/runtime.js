/** Tools of Hermes for this script. Each gives its result as an object; one that could not do its work has `error`. */

/** A call that was not made: not allowed, no connection, arguments that are not JSON. See also raiseErrors(). */
export class ToolError extends Error {
	name = "ToolError";
}

/** The script has used up its tool calls; every further call fails the same way. */
export class ToolLimitError extends ToolError {
	name = "ToolLimitError";
}

let raises = false;

/** From now on a result with `error` rejects with ToolError instead of being given. */
export function raiseErrors(on = true) {
	raises = on;
}

/** JSON text as a value. Raw line ends inside strings are fine; what is a value already is returned as it is. */
export function json_parse(text) {
	if (typeof text !== "string") return text;
	try {
		return JSON.parse(text);
	} catch {
		const escaped = (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
		// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
		return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"/gs, (string) => string.replace(/[\u0000-\u001f]/g, escaped)));
	}
}

/** One word of a shell command. */
export function shell_quote(text) {
	const word = String(text);
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

/** Calls action() until it does not fail; waits delay, 2 * delay, 4 * delay … seconds in between. */
export async function retry(action, max_attempts = 3, delay = 2) {
	for (let attempt = 1; ; attempt++) {
		try {
			return await action();
		} catch (cause) {
			if (cause instanceof ToolLimitError || attempt >= max_attempts) throw cause;
		}
		await new Promise((resolve) => setTimeout(resolve, delay * 1000 * 2 ** (attempt - 1)));
	}
}

const mostAtOnce = 8;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const queue = [];
let underWay = 0;
let calls = 0;
let link;

// biome-ignore lint/correctness/noUnusedVariables: the functions of the tools follow this text
async function callTool(tool, args) {
	const id = ++calls;
	const body = encoder.encode(bodyOf(tool, id, args));
	if (underWay >= mostAtOnce) await new Promise((resolve) => queue.push(resolve));
	else underWay++;
	try {
		link ??= connect().catch(unreachable);
		return resultOf(tool, await (await link)(id, body));
	} finally {
		const next = queue.shift();
		if (next === undefined) underWay--;
		else next();
	}
}

function unreachable(cause) {
	link = undefined;
	throw cause instanceof ToolError ? cause : new ToolError(`Hermes cannot be reached: ${cause.message}`);
}

function bodyOf(tool, id, args) {
	try {
		return JSON.stringify({ id, tool, args });
	} catch (cause) {
		throw new ToolError(`${tool}: its arguments cannot be written as JSON: ${cause.message}`);
	}
}

function resultOf(tool, { ok, kind, error, result }) {
	if (!ok) throw new (kind === "limit" ? ToolLimitError : ToolError)(error ?? `${tool}: the call failed`);
	if (raises && result?.error) throw new ToolError(String(result.error));
	return result;
}

async function connect() {
	const { HERMES_RPC_DIR: folder, HERMES_RPC_SOCKET: address, HERMES_RPC_TOKEN: token = "" } = process.env;
	if (folder) return exchangeFiles(folder);
	if (!address) throw new ToolError("this script was not started by Hermes: HERMES_RPC_SOCKET is not set");
	return exchangeFrames(address, token);
}

/** Gives a function that sends a request and resolves to its answer; one connection carries them all. */
async function exchangeFrames(address, token) {
	const waiting = new Map();
	let parts = [];
	let total = 0;
	let wanted = 4;
	const fail = (reason) => {
		for (const { reject } of waiting.values()) reject(new ToolError(`Hermes cannot be reached any more: ${reason}`));
		waiting.clear();
		link = undefined;
	};
	const receive = (chunk) => {
		parts.push(chunk);
		total += chunk.length;
		while (total >= wanted) {
			const bytes = joined(parts, total);
			const size = new DataView(bytes.buffer).getUint32(0) + 4;
			wanted = size;
			parts = [bytes];
			if (total < size) break;
			const answer = JSON.parse(decoder.decode(bytes.subarray(4, size)));
			waiting.get(answer.id)?.resolve(answer);
			waiting.delete(answer.id);
			parts = [bytes.subarray(size)];
			total -= size;
			wanted = 4;
		}
		if (waiting.size === 0) socket.unref();
	};
	const open = "Bun" in globalThis ? openBunSocket : openNodeSocket;
	const socket = await open(address, receive, fail);
	socket.write(frameOf(encoder.encode(token)));
	return (id, body) => {
		const { promise, resolve, reject } = Promise.withResolvers?.() ?? resolvers();
		waiting.set(id, { resolve, reject });
		socket.ref();
		socket.write(frameOf(body));
		return promise;
	};
}

function resolvers() {
	const made = {};
	made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
	return made;
}

function frameOf(body) {
	const frame = new Uint8Array(body.length + 4);
	new DataView(frame.buffer).setUint32(0, body.length);
	frame.set(body, 4);
	return frame;
}

function joined(parts, total) {
	const whole = new Uint8Array(total);
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

function endpointOf(address) {
	const [, host, port] = /^tcp:\/\/(.+):(\d+)$/.exec(address) ?? [];
	return host === undefined ? undefined : { host, port: Number(port) };
}

async function openBunSocket(address, receive, fail) {
	const endpoint = endpointOf(address);
	const unsent = [];
	const flush = (socket) => {
		while (unsent.length > 0) {
			const [first] = unsent;
			const sent = socket.write(first);
			if (sent < first.length) {
				unsent[0] = first.subarray(Math.max(sent, 0));
				return;
			}
			unsent.shift();
		}
	};
	const socket = await Bun.connect({
		...(endpoint === undefined ? { unix: address } : { hostname: endpoint.host, port: endpoint.port }),
		socket: {
			data: (_, chunk) => receive(new Uint8Array(chunk)),
			drain: flush,
			close: () => fail("it has closed the connection"),
			error: (_, cause) => fail(cause.message),
		},
	});
	return {
		ref: () => socket.ref(),
		unref: () => socket.unref(),
		write(bytes) {
			unsent.push(bytes);
			if (unsent.length === 1) flush(socket);
		},
	};
}

async function openNodeSocket(address, receive, fail) {
	const { connect } = await import("node:net");
	const endpoint = endpointOf(address);
	const socket = connect(endpoint ?? { path: address });
	socket.on("data", (chunk) => receive(new Uint8Array(chunk)));
	socket.on("close", () => fail("it has closed the connection"));
	await new Promise((resolve, reject) => {
		socket.once("connect", resolve);
		socket.once("error", (cause) => reject(new ToolError(`Hermes cannot be reached: ${cause.message}`)));
	});
	socket.on("error", (cause) => fail(cause.message));
	return socket;
}

/** Where there is no socket: a request is a file, its answer another. */
async function exchangeFiles(folder) {
	const { existsSync, readFileSync, renameSync, unlinkSync, writeFileSync } = await import("node:fs");
	return async (id, body) => {
		const name = `${folder}/${crypto.randomUUID().replaceAll("-", "")}${process.pid}`;
		writeFileSync(`${name}.part`, body);
		renameSync(`${name}.part`, `${name}.request`);
		for (let wait = 5; ; wait = Math.min(wait * 1.5, 250)) {
			if (existsSync(`${name}.answer`)) {
				const answer = JSON.parse(readFileSync(`${name}.answer`, "utf8"));
				unlinkSync(`${name}.answer`);
				if (answer.id !== id) throw new ToolError("the answer belongs to another call");
				return answer;
			}
			if (existsSync(`${name}.lost`)) throw new ToolError(`the answer could not be written in ${folder}`);
			if (!existsSync(folder)) throw new ToolError(`${folder} is gone`);
			await new Promise((resolve) => setTimeout(resolve, wait));
		}
	};
}
