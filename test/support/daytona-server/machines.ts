/** The sandboxes of an account: what is known of each, and the states they go through. */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cell, startCell } from "./cell.ts";
import type { Faults } from "./faults.ts";
import { Terminals } from "./terminals.ts";

/** A request for a sandbox, as far as it is looked at. */
export interface CreateRequest {
	readonly name?: string;
	readonly labels?: Record<string, string>;
	readonly cpu?: number;
	readonly memory?: number;
	readonly disk?: number;
	readonly autoStopInterval?: number;
	readonly autoDeleteInterval?: number;
	readonly buildInfo?: { readonly dockerfileContent?: string };
}

/** One sandbox. */
export class Machine {
	readonly id = crypto.randomUUID();
	/** Where its files are on this machine: its home is `root` in it. */
	readonly folder = mkdtempSync(join(tmpdir(), "hermes-daytona-"));
	state = "creating";
	errorReason: string | undefined;
	terminals: Terminals | undefined;
	readonly request: CreateRequest;
	readonly name: string;
	readonly #faults: Faults;
	#cell: Cell | undefined;

	constructor(request: CreateRequest, faults: Faults) {
		this.request = request;
		this.name = request.name ?? this.id;
		this.#faults = faults;
	}

	/** As the service describes it. */
	describe(toolboxProxyUrl: string) {
		const now = new Date(Date.now() + this.#faults.clockSkewMs).toISOString();
		const { labels = {}, cpu = 1, memory = 1, disk = 3, autoStopInterval = 15, autoDeleteInterval = -1 } = this.request;
		return {
			id: this.id,
			organizationId: "organisation",
			name: this.name,
			user: "daytona",
			env: {},
			labels,
			public: false,
			networkBlockAll: false,
			target: "us",
			cpu,
			gpu: 0,
			memory,
			disk,
			state: this.state,
			...(this.errorReason !== undefined && { errorReason: this.errorReason }),
			autoStopInterval,
			autoDeleteInterval,
			createdAt: now,
			updatedAt: now,
			lastActivityAt: now,
			buildInfo: this.request.buildInfo,
			toolboxProxyUrl,
		};
	}

	/** Comes up, in its own time. */
	async start(via: string): Promise<void> {
		this.state = via;
		await Bun.sleep(this.#faults.changeMs);
		if (this.state !== via) return;
		if (this.#faults.losesFiles) this.#empty();
		this.#cell = await startCell(this.folder);
		this.terminals = new Terminals(this.#cell, this.#faults);
		this.state = "started";
	}

	/** Goes down, in its own time; the files stay. */
	async stop(via = "stopping", last = "stopped"): Promise<void> {
		this.state = via;
		await this.down();
		await Bun.sleep(this.#faults.changeMs);
		if (this.state === via) this.state = last;
	}

	/** Is gone, with its files. */
	async destroy(): Promise<void> {
		this.state = "destroyed";
		await this.down();
		rmSync(this.folder, { recursive: true, force: true });
	}

	async down(): Promise<void> {
		this.terminals?.abandon();
		this.terminals = undefined;
		await this.#cell?.end();
		this.#cell = undefined;
	}

	#empty(): void {
		for (const name of readdirSync(this.folder)) rmSync(join(this.folder, name), { recursive: true, force: true });
	}
}
