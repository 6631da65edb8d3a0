/** Ends what one call started in a container, from inside it: the engine itself cannot end an exec. */

import { callMark } from "../../call-marks.ts";
import { engineError } from "../engine/engine-error.ts";
import { goneStatuses } from "./container-gone.ts";
import type { ExecPlace } from "./start-exec.ts";
import { killScript } from "./wrapper.ts";

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
		connection.resume();
		await new Promise((resolve) => connection.once("close", resolve).once("end", resolve).once("error", resolve));
	} catch (cause) {
		const { status } = engineError(cause);
		if (status === undefined || !goneStatuses.includes(status)) throw cause;
	}
}
