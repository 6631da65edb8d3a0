/** HERMES_HOME and what is in it: whether it can be used, and whether others can read what is private. */

import { accessSync, chmodSync, constants, lstatSync, mkdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { reasonOf } from "../../base/attempt.ts";
import { configPath, envPath } from "../../config/files.ts";
import { auditPath } from "../../log/audit.ts";
import { logFolder } from "../../log/logger.ts";
import { openStore } from "../../store/database.ts";
import { StoreRefused } from "../../store/store.ts";
import type { Finding } from "./finding.ts";

const section = "home";

/** What is in `home`, and what should be. */
export function examineHome(home: string): Finding[] {
	const folder = folderFinding("HERMES_HOME", home);
	// Nothing can be said about what is in a folder that is none.
	if (folder.status === "failed" || !isThere(home)) return [folder];
	return [
		folder,
		folderFinding("log folder", logFolder(home)),
		...[configPath(home), envPath(home), auditPath(home)].flatMap(fileFinding),
		storeFinding(join(home, "state.db")),
	];
}

function folderFinding(name: string, path: string): Finding {
	const found = lstatSync(path, { throwIfNoEntry: false });
	const make = () => void mkdirSync(path, { recursive: true, mode: 0o700 });
	if (found === undefined) {
		return { section, name, status: "off", detail: `${path} is made when it is needed`, repair: make };
	}
	const refusal = usable(path);
	if (refusal !== undefined) {
		const remedy = "make it a folder of your own, or set HERMES_HOME to another one";
		return { section, name, status: "failed", detail: `${path}: ${refusal}`, remedy };
	}
	return modeFinding({ name, path, found, wanted: 0o700 });
}

function usable(path: string): string | undefined {
	try {
		// Through a link, to what it leads to.
		accessSync(join(path, "."), constants.R_OK | constants.W_OK | constants.X_OK);
		return undefined;
	} catch (cause) {
		return reasonOf(cause).replace(/, access .*$/, "");
	}
}

/** A file that is not there is nothing to say a word about. */
function fileFinding(path: string): Finding[] {
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (found === undefined) return [];
	return [modeFinding({ name: path.slice(path.lastIndexOf("/") + 1), path, found, wanted: 0o600 })];
}

interface Owned {
	readonly name: string;
	readonly path: string;
	readonly found: Stats;
	/** The mode that it gets when others can use it. */
	readonly wanted: number;
}

function modeFinding({ name, path, found, wanted }: Owned): Finding {
	const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
	const isOpen = process.platform !== "win32" && !found.isSymbolicLink() && (found.mode & 0o077) !== 0;
	if (!isOpen) return { section, name, status: "ok", detail: `${path} (${mode})` };
	return {
		section,
		name,
		status: "warning",
		detail: `${path} (${mode}): other users can use it`,
		remedy: `chmod ${wanted.toString(8)} ${path}, or hermes doctor --fix`,
		repair: () => chmodSync(path, wanted),
	};
}

function storeFinding(path: string): Finding {
	const name = "state.db";
	if (!isThere(path)) return { section, name, status: "off", detail: "the first conversation makes it" };
	try {
		openStore(path).close();
		return { section, name, status: "ok", detail: `${path} can be read and written` };
	} catch (cause) {
		if (!(cause instanceof StoreRefused)) throw cause;
		return { section, name, status: "failed", detail: cause.message, remedy: "move the file away and keep it" };
	}
}

function isThere(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
