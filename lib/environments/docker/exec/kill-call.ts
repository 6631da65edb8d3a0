/** Ends what one call started in a container, from inside it: the engine itself cannot end an exec. */

import { callMark } from "../../call-marks.ts";
import { engineError } from "../engine/engine-error.ts";
import { goneStatuses } from "./container-gone.ts";
import type { ExecPlace } from "./start-exec.ts";
import { doneWord, killScript } from "./wrapper.ts";

/** What the processes of a call have in common. */
export interface KillRequest {
	readonly call: string;
	/** The process group, 0 when it is not known. */
	readonly group: number;
	/** Only this signal; when left out: asks, waits, then forces. */
	readonly signal?: NodeJS.Signals;
}

/** Sends signals. A container that is gone has nothing left to end. */
export async function killCall({ container }: ExecPlace, { call, group, signal }: KillRequest): Promise<void> {
	const how = signal?.replace(/^SIG/, "") ?? "end";
	try {
		const exec = await container.exec({
			Cmd: ["/bin/sh", "-c", killScript, "sh", `${callMark}=${call}`, String(group), how],
			WorkingDir: "/",
			AttachStdout: true,
			AttachStderr: true,
		});
		const connection = await exec.start({ hijack: true, stdin: false });
		await saidWord(connection, doneWord);
	} catch (cause) {
		const { status } = engineError(cause);
		if (status === undefined || !goneStatuses.includes(status)) throw cause;
	}
}

/** Not until the connection ends: an engine may be slow to close it, or never do so while its queue is held up. */
async function saidWord(connection: NodeJS.ReadWriteStream, word: string): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	let said = "";
	connection.on("data", (chunk: Uint8Array) => {
		said += Buffer.from(chunk).toString("latin1");
		if (said.includes(word)) resolve();
	});
	for (const event of ["end", "close", "error"]) connection.once(event, resolve);
	await promise;
}
