/** A command that does nothing, in a session in an instance, against apptainer itself. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute } from "../lib/environments/shell/execute.ts";
import { openShell } from "../lib/environments/shell/shell.ts";
import singularity from "../lib/environments/singularity/index.ts";
import { settings } from "../lib/environments/singularity/settings.ts";
import { defineBench } from "./bench.ts";

export default defineBench({
	operation: 'execute("true") in an instance',
	floor: "apptainer exec INSTANCE true",
	samples: 60,
	target: 1.1,

	async open() {
		const image = process.env.HERMES_TEST_APPTAINER_IMAGE;
		if (!image) {
			throw new Error(
				"Cannot measure singularity: HERMES_TEST_APPTAINER_IMAGE is not set; scripts/test-services.sh start prints it",
			);
		}
		const { signal } = new AbortController();
		await using opened = new AsyncDisposableStack();
		const home = mkdtempSync(join(tmpdir(), "hermes-bench-"));
		opened.defer(() => rmSync(home, { recursive: true, force: true }));
		const environment = { HOME: home, PATH: process.env.PATH ?? "" };
		const config = settings.parse({ singularity_image: image, container_persistent: false });
		const context = { signal, taskId: "bench", home, hostEnvironment: environment };
		const sandbox = opened.use(await singularity.open(config, context));
		const shell = opened.use(await openShell({ sandbox, files: "bind", cwd: "", environment: {}, signal }));
		const argv = ["apptainer", "exec", "--pwd", "/", sandbox.ranOn.replace("singularity:", "instance://"), "true"];
		const kept = opened.move();
		return {
			operation: () => execute(shell, "true", { signal }),
			floor: () => Bun.spawn(argv, { env: environment, stdout: "pipe", stderr: "pipe" }).exited,
			[Symbol.asyncDispose]: () => kept.disposeAsync(),
		};
	},
});
