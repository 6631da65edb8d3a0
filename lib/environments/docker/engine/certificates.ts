/** Certificates of a connection to an engine. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BackendUnavailable } from "../../backend.ts";

/** `ca` decides whom we believe, the others who we are. PEM texts. */
export interface Certificates {
	readonly ca?: string;
	readonly cert?: string;
	readonly key?: string;
	/** False: whoever answers is believed. */
	readonly verify: boolean;
}

/** The certificates in `folder`, under the names that the docker client uses; those that are not there are left out. */
export function readCertificates(folder: string, verify: boolean): Certificates {
	const ca = readIfThere(join(folder, "ca.pem"));
	const cert = readIfThere(join(folder, "cert.pem"));
	const key = readIfThere(join(folder, "key.pem"));
	return {
		...(ca !== undefined && { ca }),
		...(cert !== undefined && { cert }),
		...(key !== undefined && { key }),
		verify,
	};
}

function readIfThere(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch (cause) {
		const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		throw new BackendUnavailable(`Cannot read "${path}": ${code || String(cause)}`, { cause });
	}
}
