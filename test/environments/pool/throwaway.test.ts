/** Sandboxes of the pool that are one task's alone. */

import { describe, expect, test } from "bun:test";
import { throwawaySettings } from "../../../lib/environments/docker/container/throwaway.ts";
import { settings } from "../../../lib/environments/docker/settings.ts";
import { createPool } from "../../../lib/environments/pool/pool.ts";
import { breakableBackend } from "../../support/breakable-backend.ts";
import { plainEnvironment } from "../../support/local-sandbox.ts";

const { signal } = new AbortController();

describe("a throw-away sandbox", () => {
	test("is its task's own, stays open however long nobody calls, and is closed when the task is released", async () => {
		const place = breakableBackend("box");
		const target = { backend: place.backend, config: {}, cwd: "/tmp", environment: plainEnvironment };
		const waiting: (() => void)[] = [];
		const clock = {
			after(_seconds: number, action: () => void) {
				waiting.push(action);
				return { [Symbol.dispose]: () => void waiting.splice(waiting.indexOf(action), 1) };
			},
		};
		await using pool = createPool({
			target,
			targetFor: async () => target,
			isPinned: true,
			lifetimeSeconds: 300,
			context: { home: "/tmp", hostEnvironment: plainEnvironment },
			onWarning: () => {},
			clock,
		});
		await pool.shell("").execute("cd /usr", { signal });
		await pool.register("child", { isThrowaway: true });
		expect((await pool.shell("child").execute("pwd", { signal })).output).toBe("/tmp\n");
		expect(place.events).toEqual(["open default", "open child"]);
		for (const action of waiting.splice(0)) action();
		expect((await pool.shell("child").execute("true", { signal })).ranOn).toBe("box:2");
		await pool.release("child");
		expect(place.events.filter((event) => event.endsWith("child"))).toEqual(["open child", "close child"]);
		expect(waiting.length).toBe(0);
	});

	test("of docker keeps nothing, and cannot write to the volumes that others have too", () => {
		const docker_volumes = ["/data:/data", "/w:/workspace", "cache:/cache:rw,z", "/ro:/ro:ro"];
		const shared = settings.parse({ docker_volumes, docker_mount_cwd_to_workspace: true, docker_image: "x" });
		expect(throwawaySettings(shared, "own")).toEqual({
			...shared,
			life: "own",
			container_persistent: false,
			docker_persist_across_processes: false,
			docker_mount_cwd_to_workspace: false,
			docker_volumes: ["/data:/data:ro", "cache:/cache:ro,z", "/ro:/ro:ro"],
		});
	});
});
