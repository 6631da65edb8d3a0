/** A sandbox of its own as the place of a sub-agent, with a copy of its parent's files. */

import { heldDays } from "../../../environments/backend.ts";
import { finishCopy, type OpenedCopy, openCopy } from "../../../files/worktrees/copy.ts";
import { discardChange } from "../../../files/worktrees/merge.ts";
import type { IsolatedPlace, IsolationRequest } from "../isolation.ts";
import { holderText, ownerText } from "./owner.ts";
import { patiently } from "./patiently.ts";
import { backendOf, changeOf, done, lastFilesOf, type PlaceOptions, puttingAway, shownNames } from "./place-parts.ts";

/** @throws {Error} When the backend has no sandboxes, or the files cannot be copied; the message says what else could be asked for. */
export async function openSandboxPlace(options: PlaceOptions, request: IsolationRequest): Promise<IsolatedPlace> {
	const { pool, home, git } = options;
	const { parentTask, childTask, cwd, signal } = request;
	const change = { cwd, id: childTask, ...(git !== undefined && { git }) };
	await pool.register(childTask, { isThrowaway: true, isUnattended: true });
	const backend = backendOf(pool, parentTask);
	const whose = { owner: ownerText(), holder: holderText(backend, home) };
	const ends = { from: pool.shell(parentTask), to: pool.shell(childTask) };
	try {
		await ends.to.open(signal);
		const opened = done(await openCopy({ ...change, ...ends, signal }, whose));
		await pool.register(childTask, { isThrowaway: true, isUnattended: true, cwd: opened.cwd });
		const { base } = opened;
		return {
			cwd: opened.cwd,
			description: describe(opened, ends.to.ranOn),
			begun: {
				kind: "sandbox",
				summary: `what is in ${ends.to.ranOn}, which is kept for ${heldDays} days when hermes is killed`,
				target: cwd,
				backend,
				base,
				branch: `hermes-${childTask}`,
			},
			async finish() {
				try {
					const last = puttingAway();
					const work = done(await patiently(() => finishCopy({ ...change, ...ends, signal: last }, opened)));
					return work.isUnchanged ? { kind: "unchanged" } : { kind: "kept", change: changeOf(pool, work, request) };
				} catch (cause) {
					// Its sandbox goes, and there is nothing to merge without it.
					await discardChange(lastFilesOf(pool, parentTask), change);
					throw cause;
				} finally {
					await pool.release(childTask);
				}
			},
		};
	} catch (cause) {
		await pool.release(childTask);
		throw cause;
	}
}

function describe({ folder, top, left }: OpenedCopy, ranOn: string): string {
	const missing = left.length === 0 ? "" : ` ${shownNames(left)} ${left.length === 1 ? "is" : "are"} not in it either.`;
	return `You have a sandbox of your own (${ranOn}), which ends with your task. ${folder} is a copy of your parent's ${top}: only you see what you change, and only what is below ${folder} is kept for your parent. Where the task names a file below ${top}, use the one in the copy. What git ignores (installed packages, for example) is not in it.${missing}`;
}
