/** The best way for calls of scripts in a sandbox. */

import { RelayRefused } from "../../environments/relay/exchange.ts";
import { FileError } from "../../environments/sandbox-helper.ts";
import type { Shell } from "../../environments/shell/shell.ts";
import { listenLocally } from "./local-socket.ts";
import { pollFiles } from "./polled-files.ts";
import { listenThrough } from "./relay-socket.ts";
import type { Transport, TransportName, TransportParts } from "./transport.ts";

/** The transport that is tried first; on Windows not every program knows Unix sockets. */
export function usualTransport({ files, sandbox }: Shell, platform: NodeJS.Platform = process.platform): TransportName {
	if (files === "host") return platform === "win32" ? "tcp" : "unix";
	return sandbox.helper === undefined ? "files" : "relay";
}

/** Opens the usual one, or polls files where a sandbox has no sockets. */
export async function openTransport(parts: TransportParts, wanted: TransportName): Promise<Transport> {
	const { helper } = parts.shell.sandbox;
	if (wanted === "unix" || wanted === "tcp") return listenLocally(parts, wanted);
	if (wanted === "files" || helper === undefined) return pollFiles(parts);
	try {
		return await listenThrough(helper, parts);
	} catch (cause) {
		if (!(cause instanceof RelayRefused || cause instanceof FileError)) throw cause;
		return pollFiles(parts);
	}
}
