/** What of a profile goes where, when it is copied or taken along. */

/** What makes a new profile behave like another one. Keys that rotate (`auth.json`) are not among it: two holders would lock each other out. */
export const clonedFiles: readonly string[] = [
	"config.yaml",
	".env",
	"SOUL.md",
	"memories",
	"skills",
	"plugins",
	"skins",
];

/** Files that hold keys. */
export const secretFiles: readonly string[] = [".env", "auth.json", "mcp-tokens", "mcp-serve.key"];

/** What belongs to one place and one time: records of what runs or ran, what can be made again, and other profiles. */
const ofOnePlace: ReadonlySet<string> = new Set([
	...["profiles", "active_profile", "logs", "cache", "checkpoints", "sandboxes", "docker", "daytona", "singularity"],
	...["processes.json", "modal_snapshots.json", "singularity_snapshots.json", "models_dev_cache.json"],
	...["known-hosts", "patches", "keys.db", "relay"],
]);

/** The history: what was said, and what was done. */
const history: ReadonlySet<string> = new Set(["state.db", "audit.jsonl", "sessions", "images"]);

/** Whether the entry of this name (directly in the home) goes along with everything else to another place. */
export function goesAlong(name: string): boolean {
	return !ofOnePlace.has(name) && !isScratch(name);
}

/** Whether it is copied by a clone of everything: neither history nor keys that rotate. */
export function isCloned(name: string): boolean {
	return goesAlong(name) && !history.has(name) && !["auth.json", "mcp-tokens", "mcp-serve.key"].includes(name);
}

/** Locks, what SQLite keeps beside a database, and files of writers that are not done. */
export function isScratch(name: string): boolean {
	return /(?:\.lock|-wal|-shm|-journal|\.tmp|\.sock)$/.test(name);
}
