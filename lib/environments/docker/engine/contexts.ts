/** Docker contexts: named engines that the docker client has been told of. */

import { join } from "node:path";
import { z } from "zod";
import { BackendUnavailable } from "../../backend.ts";
import { type Certificates, readCertificates } from "./certificates.ts";
import { dockerFolder, readClientConfig, readJson } from "./client-files.ts";

const meta = z.looseObject({
	Endpoints: z.looseObject({
		docker: z.looseObject({ Host: z.string().default(""), SkipTLSVerify: z.boolean().default(false) }),
	}),
});

/** A context by name, and the folder of the client that knows it. */
export interface NamedContext {
	readonly name: string;
	readonly folder: string;
}

/** The context that DOCKER_CONTEXT or `docker context use` chose; undefined for the client's built-in default. */
export function currentContext(variables: Readonly<Record<string, string>>): NamedContext | undefined {
	const folder = dockerFolder(variables);
	const asked = variables.DOCKER_CONTEXT ?? "";
	const name = asked === "" ? readClientConfig(folder).currentContext : asked;
	return name === "" || name === "default" ? undefined : { name, folder };
}

/** Host and certificates of a context. @throws {BackendUnavailable} When there is no such context. */
export function contextEndpoint({ name, folder }: NamedContext): {
	readonly host: string;
	readonly tls: Certificates | undefined;
} {
	const id = new Bun.CryptoHasher("sha256").update(name).digest("hex");
	const found = readJson(join(folder, "contexts", "meta", id, "meta.json"), meta);
	const host = found?.Endpoints.docker.Host ?? "";
	if (found === undefined || host === "") {
		throw new BackendUnavailable(
			`Cannot use the docker context "${name}": ${folder} has none of that name; see \`docker context ls\``,
		);
	}
	const certificateFolder = join(folder, "contexts", "tls", id, "docker");
	const tls = readCertificates(certificateFolder, !found.Endpoints.docker.SkipTLSVerify);
	const isPlain = tls.verify && tls.ca === undefined && tls.cert === undefined && tls.key === undefined;
	return { host, tls: isPlain ? undefined : tls };
}
