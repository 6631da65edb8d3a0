/** Tells the user when the kept files of sandboxes have grown large. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { startLocal } from "../local/start-local.ts";
import type { Program } from "./program.ts";

/** Counting millions of files is not worth more. */
const countLimitMs = 60_000;

/** Warns when everything of ours in `root` (`hermes-*`) takes more than the limit. Nobody has to wait for it. */
export async function warnOfSize(
	{ host, env }: Program,
	root: string,
	{ limitGigabytes, warn }: { readonly limitGigabytes: number; warn(text: string): void },
): Promise<void> {
	const ours = readdirSync(root).filter((name) => name.startsWith("hermes-"));
	const argv = ["du", "-skc", "--", ...ours.map((name) => join(root, name))];
	const running = startLocal(host, argv, {
		env,
		cwd: "/",
		stdin: "none",
		control: true,
		signal: new AbortController().signal,
	});
	const timer = setTimeout(() => void running.kill(), countLimitMs).unref();
	const [said] = await Promise.all([new Response(running.output).text(), running.exited]);
	clearTimeout(timer);
	const kilobytes = Number(/(\d+)\s+total\s*$/.exec(said)?.[1] ?? 0);
	const gigabytes = kilobytes / 1024 / 1024;
	if (gigabytes > limitGigabytes) {
		warn(`Sandboxes take ${gigabytes.toFixed(1)} GB in ${root} (terminal.disk_warning_gb is ${limitGigabytes})`);
	}
}
