/** Makes a file of an image that comes from a registry, once for all who use it. */

import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { takeFileLock } from "../../base/file-lock.ts";
import { BackendUnavailable } from "../backend.ts";
import { type Program, runProgram } from "./program.ts";
import type { Scratch } from "./scratch.ts";

/** A pull of a large image over a slow line. */
const buildLimitMs = 600_000;

/** What it takes to have an image. */
export interface ImageRequest {
	readonly program: Program;
	readonly scratch: Scratch;
	/** The user's home folder, for `~/`. */
	readonly userHome: string;
	readonly signal: AbortSignal;
	/** One line for a person to read. */
	tell(line: string): void;
}

/**
 * What an instance can be started from: the file or folder itself, or for an address (`docker://NAME`) a file in the cache. When
 * that cannot be built, the address, and apptainer does what it can with it.
 * @throws {BackendUnavailable} When a file is not there.
 */
export async function ensureImage(name: string, request: ImageRequest): Promise<string> {
	if (!/^[a-z-]+:\/\//.test(name)) return existingImage(name, request.userHome);
	const file = join(request.scratch.images, `${fileName(name)}.sif`);
	if (existsSync(file)) return file;
	const limit = AbortSignal.any([request.signal, AbortSignal.timeout(buildLimitMs)]);
	try {
		using _lock = await takeFileLock(`${file}.lock`, limit);
		// Somebody else may have built it while we waited.
		if (!existsSync(file)) await build(name, file, { ...request, signal: limit });
		return file;
	} catch (cause) {
		request.signal.throwIfAborted();
		request.tell(`Cannot keep "${name}" as a file: ${cause instanceof Error ? cause.message : cause}`);
		return name;
	}
}

function existingImage(name: string, userHome: string): string {
	const path = resolve(name.replace(/^~(?=\/|$)/, () => userHome));
	if (statSync(path, { throwIfNoEntry: false }) !== undefined) return path;
	throw new BackendUnavailable(`Cannot use the image "${name}": there is no such file (terminal.singularity_image)`);
}

/** `docker://a/b:c` is `a-b-c`; other addresses keep their kind. */
function fileName(name: string): string {
	return name.replace(/^docker:\/\//, "").replace(/[^\w.-]+/g, "-");
}

async function build(name: string, file: string, { program, scratch, signal, tell }: ImageRequest): Promise<void> {
	tell(`Building ${file} from ${name}`);
	// In place under its real name only when it is whole: a machine that stops meanwhile leaves no half image there.
	const partial = `${file}.${process.pid}.partial`;
	const folders = { APPTAINER_TMPDIR: scratch.images, APPTAINER_CACHEDIR: scratch.images };
	const own = { ...folders, SINGULARITY_TMPDIR: scratch.images, SINGULARITY_CACHEDIR: scratch.images };
	try {
		const builder = { ...program, env: { ...own, ...program.env } };
		const { exitCode, complaint } = await runProgram(builder, ["pull", "--force", partial, name], signal);
		if (exitCode !== 0) throw new Error(complaint || `exit code ${exitCode}`);
		renameSync(partial, file);
	} finally {
		rmSync(partial, { force: true });
	}
}
