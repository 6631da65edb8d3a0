/** The create request of a container, put together from parts. */

import type Docker from "dockerode";

/** Some fields of the request. Of two parts the later one counts; lists and tables are joined. */
export interface Part {
	readonly create?: Docker.ContainerCreateOptions;
	readonly host?: Docker.HostConfig;
}

/** The request that `parts` make in their order. */
export function joinParts(parts: readonly Part[]): Docker.ContainerCreateOptions {
	let create: Docker.ContainerCreateOptions = {};
	let host: Docker.HostConfig = {};
	for (const part of parts) {
		create = joined(create, part.create ?? {});
		host = joined(host, part.host ?? {});
	}
	return { ...create, HostConfig: host };
}

function joined<T extends object>(before: T, after: T): T {
	const fields = Object.entries(after).map(([name, value]) => [name, joinedValue(Reflect.get(before, name), value)]);
	return Object.assign({}, before, Object.fromEntries(fields));
}

function joinedValue(before: unknown, after: unknown): unknown {
	if (Array.isArray(before) && Array.isArray(after)) return [...before, ...after];
	return isTable(before) && isTable(after) ? { ...before, ...after } : after;
}

function isTable(value: unknown): value is object {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
