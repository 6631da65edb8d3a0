/** The sandboxes and images of one server. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSharedLocalHost, type LocalHost } from "../../../lib/environments/local/local-host.ts";
import { Exec } from "./exec.ts";
import { copyLayer, type Place, startPlace } from "./place.ts";
import type { SeenSandbox } from "./switches.ts";

/** What a sandbox was asked to be. */
export type Wanted = Omit<SeenSandbox, "id" | "isAlive">;

/** A sandbox. */
export interface WorldSandbox {
	readonly id: string;
	readonly task: string;
	readonly wanted: Wanted;
	readonly place: Place;
	readonly execs: Map<string, Exec>;
	/** The status of its end, once it has ended. */
	ended: number | undefined;
	/** Settles with its end. */
	readonly end: Promise<void>;
}

/** Statuses of an end. */
export const endings = { terminated: 3, timeout: 4 } as const;

/** Everything of one server, in one folder. */
export class World implements AsyncDisposable {
	readonly folder = mkdtempSync(join(tmpdir(), "modal-server-"));
	readonly sandboxes = new Map<string, WorldSandbox>();
	/** Image to the folders of its layers above the root file system, uppermost first. */
	readonly images = new Map<string, readonly string[]>();
	readonly snapshots: string[] = [];
	readonly #host: LocalHost & Disposable;
	readonly #rootFolder: string;
	readonly #endings = new Map<string, (status: number) => void>();
	#count = 0;

	constructor(host: LocalHost & Disposable, rootFolder: string) {
		this.#host = host;
		this.#rootFolder = rootFolder;
	}

	static async open(rootFolder: string): Promise<World> {
		const path = process.env.PATH ?? "/usr/sbin:/usr/bin:/sbin:/bin";
		return new World(await createSharedLocalHost().use(path), rootFolder);
	}

	async create(wanted: Wanted): Promise<WorldSandbox> {
		const layers = this.images.get(wanted.image);
		if (layers === undefined) throw new Error(`no image ${wanted.image}`);
		const number = ++this.#count;
		const place = await startPlace(this.#host, {
			folder: join(this.folder, `sandbox-${number}`),
			layers: [...layers, this.#rootFolder],
		});
		const { promise: end, resolve } = Promise.withResolvers<void>();
		const id = `sb-V2${crypto.randomUUID().slice(0, 13)}`;
		const sandbox: WorldSandbox = {
			id,
			task: `ta-${id}`,
			wanted,
			place,
			execs: new Map(),
			ended: undefined,
			end,
		};
		this.#endings.set(id, (status) => {
			sandbox.ended ??= status;
			resolve();
		});
		this.sandboxes.set(id, sandbox);
		return sandbox;
	}

	/** A sandbox by the name of its task. */
	byTask(task: string): WorldSandbox | undefined {
		return this.sandboxes.get(task.slice("ta-".length));
	}

	async end({ id, place, execs }: WorldSandbox, status: number): Promise<void> {
		this.#endings.get(id)?.(status);
		for (const exec of execs.values()) exec.drop();
		await place.stop();
	}

	/** A new image of the files that `sandbox` has now. */
	async snapshot({ place, wanted }: WorldSandbox): Promise<string> {
		const id = `im-snap${crypto.randomUUID().slice(0, 13)}`;
		const layer = join(this.folder, id);
		await copyLayer(this.#host, place.upper, layer);
		this.images.set(id, [layer, ...(this.images.get(wanted.image) ?? [])]);
		this.snapshots.push(id);
		return id;
	}

	start(sandbox: WorldSandbox, request: ConstructorParameters<typeof Exec>[1]): Exec {
		return new Exec(sandbox.place.start(request), request);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all([...this.sandboxes.values()].map((sandbox) => this.end(sandbox, endings.terminated)));
		this.#host[Symbol.dispose]();
		rmSync(this.folder, { recursive: true, force: true });
	}
}
