/** One connection of a script, whatever carries it: first the token, then requests, each answered as soon as it is done. */

import type { CallDesk } from "./call-desk.ts";
import { FrameReader, FrameTooLong, frameOf } from "./frames.ts";
import { isToken } from "./token.ts";

/** Our end of a connection. */
export interface ConnectionEnd {
	send(frame: Uint8Array): void;
	close(): void;
}

/** What is told of a connection. */
export interface ServedConnection {
	received(bytes: Uint8Array): void;
	/** The other side is gone. */
	ended(): void;
}

/** How long a stranger may stay without a token. */
const tokenLimitMs = 10_000;
const longestToken = 1_024;
/** A file of a few megabytes has room, as JSON; a script writes larger ones itself. */
const longestRequest = 32 * 1024 * 1024;

/** Serves `connection` until it ends. A wrong token, or anything that is no frame, closes it. */
export function serveConnection(
	connection: ConnectionEnd,
	{ desk, token }: { readonly desk: CallDesk; readonly token: string },
): ServedConnection {
	const frames = new FrameReader(longestToken);
	const gone = new AbortController();
	let isKnown = false;
	const close = () => {
		clearTimeout(stranger);
		gone.abort(new Error("The script has closed the connection"));
		connection.close();
	};
	const stranger = setTimeout(close, tokenLimitMs);
	const take = (text: string) => {
		if (isKnown) {
			void desk.answer(text, gone.signal).then((answer) => {
				if (!gone.signal.aborted) connection.send(frameOf(answer));
			});
			return;
		}
		if (!isToken(text, token)) {
			close();
			return;
		}
		isKnown = true;
		clearTimeout(stranger);
		frames.limit = longestRequest;
	};
	return {
		received(bytes) {
			if (gone.signal.aborted) return;
			frames.push(bytes);
			try {
				for (let text = frames.next(); text !== undefined && !gone.signal.aborted; text = frames.next()) take(text);
			} catch (cause) {
				if (!(cause instanceof FrameTooLong)) throw cause;
				close();
			}
		},
		ended() {
			clearTimeout(stranger);
			gone.abort(new Error("The script has closed the connection"));
		},
	};
}
