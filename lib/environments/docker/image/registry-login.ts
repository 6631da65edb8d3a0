/** Finds the login for a registry where the docker client saved it: its config.json, or a credential helper. */

import { z } from "zod";
import { childEnvironment } from "../../../security/child-environment.ts";
import { BackendUnavailable } from "../../backend.ts";
import { type ClientConfig, dockerFolder, parseJson, readClientConfig } from "../engine/client-files.ts";
import { dockerHub } from "./reference.ts";

/** What the engine hands on to the registry. */
export type Login =
	| { readonly username: string; readonly password: string; readonly serveraddress: string }
	| { readonly identitytoken: string; readonly serveraddress: string }
	| { readonly registrytoken: string; readonly serveraddress: string };

/** A helper may ask a keychain that asks the user. */
const helperMs = 30_000;

/** Helpers answer with this name when the secret is a token. */
const tokenUser = "<token>";

const credentials = z.object({ Username: z.string(), Secret: z.string() });

/**
 * The saved login for `registry`; undefined when there is none.
 * @throws {BackendUnavailable} When a credential helper fails.
 */
export async function findLogin(
	registry: string,
	variables: Readonly<Record<string, string>>,
): Promise<Login | undefined> {
	const config = readClientConfig(dockerFolder(variables));
	const helper = config.credHelpers[registry] ?? config.credsStore;
	const helped = helper === "" ? undefined : await askHelper(helper, registry, variables);
	return helped ?? savedLogin(config, registry);
}

/** Keys of `auths` are hosts, or URLs as older clients wrote them. */
function savedLogin({ auths }: ClientConfig, registry: string): Login | undefined {
	const host = (key: string) => key.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
	const key = registry in auths ? registry : Object.keys(auths).find((name) => host(name) === host(registry));
	const saved = key === undefined ? undefined : auths[key];
	if (saved === undefined) return undefined;
	const { identitytoken, registrytoken, auth = "" } = saved;
	if (identitytoken) return { identitytoken, serveraddress: registry };
	if (registrytoken) return { registrytoken, serveraddress: registry };
	const [, user = saved.username ?? "", secret = saved.password ?? ""] =
		/^([^:]*):(.*?)\0*$/s.exec(Buffer.from(auth, "base64").toString("utf8")) ?? [];
	return user === "" ? undefined : { username: user, password: secret, serveraddress: registry };
}

async function askHelper(
	name: string,
	registry: string,
	variables: Readonly<Record<string, string>>,
): Promise<Login | undefined> {
	const env = childEnvironment(variables);
	const program = Bun.which(`docker-credential-${name}`, { PATH: env.PATH ?? "" });
	// A client's file that was copied from another machine names helpers that this one lacks.
	if (program === null) return undefined;
	const child = Bun.spawn([program, "get"], {
		stdio: [Buffer.from(registry), "pipe", "pipe"],
		env,
		timeout: helperMs,
	});
	const [said, complaint, code] = await Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
		child.exited,
	]);
	if (code !== 0) return withoutCredentials(name, registry, said.trim() || complaint.trim() || `exit code ${code}`);
	const parsed = credentials.safeParse(parseJson(said));
	if (!parsed.success) {
		throw new BackendUnavailable(`Cannot use the login for "${registry}": docker-credential-${name} gave none`);
	}
	const { Username: username, Secret: secret } = parsed.data;
	const serveraddress = registry;
	return username === tokenUser
		? { identitytoken: secret, serveraddress }
		: { username, password: secret, serveraddress };
}

/** That it knows nobody is the usual answer, for every public image. */
function withoutCredentials(name: string, registry: string, complaint: string): undefined {
	if (/credentials not found|no such|not exist/i.test(complaint)) return undefined;
	const shown = registry === dockerHub ? "Docker Hub" : `"${registry}"`;
	throw new BackendUnavailable(
		`Cannot read the login for ${shown}: docker-credential-${name} says ${complaint.slice(0, 200)}`,
	);
}
