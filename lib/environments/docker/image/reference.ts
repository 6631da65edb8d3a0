/** The names of images: `[registry/]path[:tag][@digest]`. */

import { BackendUnavailable } from "../../backend.ts";

const domain = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])(?::\d+)?`;
const component = "[a-z0-9]+(?:(?:[.]|_|__|-+)[a-z0-9]+)*";
const grammar = new RegExp(
	String.raw`^((?:${domain}/)?${component}(?:/${component})*)(?::([\w][\w.-]{0,127}))?(?:@([a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-f]{32,}))?$`,
);

/** Where images without a registry in their name come from, under the name that logins for it are saved with. */
export const dockerHub = "https://index.docker.io/v1/";

/** The variable that may set the image, in place of the configuration file. */
const imageVariable = "TERMINAL_DOCKER_IMAGE";

/**
 * `text`, when it can be the name of an image.
 * @throws {BackendUnavailable} When it cannot; the message says where the value comes from.
 */
export function checkedReference(text: string, variables: Readonly<Record<string, string>>): string {
	if (grammar.test(text)) return text;
	const shown = JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
	const source = variables[imageVariable] === text ? `the variable ${imageVariable}` : "terminal.docker_image";
	throw new BackendUnavailable(`Cannot use ${shown} as an image: ${problem(text)}; it comes from ${source}`);
}

/** What `pull` takes: with a digest the tag says nothing more, and the engine refuses both. */
export function pullName(reference: string): string {
	const [, name = reference, , digest] = grammar.exec(reference) ?? [];
	return digest === undefined ? reference : `${name}@${digest}`;
}

/** Host of the registry that holds the image, or `dockerHub`. */
export function registryOf(reference: string): string {
	const [first = "", rest] = reference.split(/\/(.*)/s);
	const isHost = rest !== undefined && (/[.:]/.test(first) || first === "localhost");
	return !isHost || first === "docker.io" || first === "index.docker.io" ? dockerHub : first;
}

function problem(text: string): string {
	if (text.trim() === "") return "it is empty";
	if (/\s/.test(text)) return "it holds a space or a line break";
	if (/["'`$;=]/.test(text)) return "it looks like shell text";
	if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text)) return "an image name has no scheme";
	if (text !== text.toLowerCase()) return "a name has lower-case letters only";
	return "it is no name[:tag]";
}
