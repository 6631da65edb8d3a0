/** Makes sure that the engine has an image. */

import type Docker from "dockerode";
import { unlessStatus } from "../engine/engine-error.ts";
import { pullImage } from "./pull.ts";
import { registryOf } from "./reference.ts";
import { findLogin } from "./registry-login.ts";

/** Where the image and its login come from. */
export interface ImageRequest {
	/** Checked before. */
	readonly reference: string;
	readonly variables: Readonly<Record<string, string>>;
	readonly signal: AbortSignal;
	onProgress?: ((line: string) => void) | undefined;
}

/** The image, pulled when the engine does not have it. @throws {BackendUnavailable} When it cannot be had. */
export async function ensureImage(docker: Docker, request: ImageRequest): Promise<Docker.ImageInspectInfo> {
	const { reference, variables, signal, onProgress } = request;
	const image = docker.getImage(reference);
	const found = await unlessStatus([404], image.inspect());
	if (found !== undefined) return found;
	const login = await findLogin(registryOf(reference), variables);
	await pullImage(docker, reference, { login, signal, onProgress });
	return image.inspect();
}
