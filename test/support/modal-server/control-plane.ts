/** Modal's control plane: accounts, apps, images, and the life of sandboxes. */

import { ServerError, Status } from "nice-grpc";
import { type Conduct, header, makeToken, readToken } from "./conduct.ts";
import type { Method } from "./server-impl.ts";
import { endings, type World, type WorldSandbox } from "./world.ts";

/** The account that the server knows. */
export const account = { tokenId: "ak-test", tokenSecret: "as-test" } as const;

/** What the plane works with. */
export interface Plane {
	readonly world: World;
	readonly conduct: Conduct;
	/** Where the command router is. */
	routerUrl(): string;
	readonly built: (readonly string[])[];
}

const success = { status: 1, exception: "" };
const authTokenSeconds = 1200;

/** The image that every name stands for, but one that begins with `missing/`. */
const baseImage = "im-base";

/** The methods that the library calls. */
export function controlPlane(plane: Plane): Record<string, Method> {
	const { world, conduct, built } = plane;
	world.images.set(baseImage, []);
	const sandboxOf = ({ sandboxId }: { sandboxId: string }) => known(world, sandboxId);
	const access = (sandbox: WorldSandbox) => ({
		url: plane.routerUrl(),
		jwt: makeToken({ task: sandbox.task }, conduct.now + conduct.switches.routerTokenSeconds),
	});
	const create: Method = async ({ definition, tags }) => {
		const { imageId: image, timeoutSecs, resources, entrypointArgs } = definition;
		if (!world.images.has(image)) throw new ServerError(Status.NOT_FOUND, `Image ${image} not found`);
		const sandbox = await world.create({
			image,
			timeoutSeconds: timeoutSecs,
			milliCpu: resources.milliCpu,
			memoryMegabytes: resources.memoryMb,
			command: entrypointArgs,
			tags: Object.fromEntries(tags.map((tag: { tagName: string; tagValue: string }) => [tag.tagName, tag.tagValue])),
		});
		setTimeout(() => void world.end(sandbox, endings.timeout), timeoutSecs * 1000).unref();
		return { sandboxId: sandbox.id, taskId: sandbox.task, tunnels: [], commandRouterAccess: access(sandbox) };
	};
	const wait: Method = async (request, { signal }) => {
		const sandbox = sandboxOf(request);
		const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
		await Promise.race([sandbox.end, Bun.sleep(request.timeout * 1000), stopped]);
		return sandbox.ended === undefined ? {} : { result: { status: sandbox.ended, exitcode: 0, exception: "" } };
	};
	const methods: Record<string, Method> = {
		authTokenGet: () => ({ token: makeToken({}, conduct.now + authTokenSeconds) }),
		appGetOrCreate: () => ({ appId: "ap-test" }),
		environmentGetOrCreate: () => ({
			environmentId: "en-test",
			metadata: { name: "main", settings: { imageBuilderVersion: "2025.06" } },
		}),
		imageFromId: ({ imageId }) => {
			if (!world.images.has(imageId))
				throw new ServerError(Status.NOT_FOUND, `Could not find image with ID ${imageId}`);
			return { imageId };
		},
		imageGetOrCreate({ image }) {
			built.push(image.dockerfileCommands);
			const isMissing = String(image.dockerfileCommands[0]).startsWith("FROM missing/");
			const result = isMissing ? { status: 2, exception: "the registry has no such image" } : success;
			return { imageId: baseImage, result };
		},
		sandboxCreateV2: create,
		sandboxWaitV2: wait,
		sandboxGetTaskIdV2: (request) => ({ taskId: sandboxOf(request).task }),
		sandboxGetCommandRouterAccess: (request) => access(sandboxOf(request)),
		async sandboxTerminateV2(request) {
			await world.end(sandboxOf(request), endings.terminated);
			return {};
		},
	};
	const check: Method = (_request, { metadata }) => {
		const isOurs =
			header(metadata, "x-modal-token-id") === account.tokenId &&
			header(metadata, "x-modal-token-secret") === account.tokenSecret;
		if (!isOurs || conduct.switches.isRevoked)
			throw new ServerError(Status.UNAUTHENTICATED, "Token ID is malformed or was revoked");
		return undefined;
	};
	const checkToken: Method = (request, context) => {
		check(request, context);
		const token = readToken(header(context.metadata, "x-modal-auth-token"));
		if (token === undefined || token.exp < conduct.now)
			throw new ServerError(Status.UNAUTHENTICATED, "the auth token has expired");
		return undefined;
	};
	return Object.fromEntries(
		Object.entries(methods).map(([name, method]) => {
			return [name, conduct.wrap(name, method, name === "authTokenGet" ? check : checkToken)];
		}),
	);
}

function known(world: World, id: string): WorldSandbox {
	const sandbox = world.sandboxes.get(id);
	if (sandbox === undefined) throw new ServerError(Status.NOT_FOUND, `Sandbox ${id} not found`);
	return sandbox;
}
