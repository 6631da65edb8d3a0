/** The kinds of danger a command can have. Each needs a consent of its own. */

/** Every category by its name, with what it means for a person who has to decide. Names are kept in saved approvals. */
export const categories = {
	"delete-absolute": "deletes files by an absolute path",
	"delete-recursive": "deletes folders with everything in them",
	"delete-listed": "deletes whatever another command lists",
	"find-exec-delete": "deletes whatever find finds, by running rm",
	"find-delete": "deletes whatever find finds",
	shred: "destroys files for good",
	"system-folder": "moves a system folder or a whole home away, or changes who may use it",
	"world-writable": "lets every user write",
	"chown-root": "gives files with everything below them to root",
	"wipe-disk": "destroys a file system or a partition table",
	"raw-copy": "copies raw data with dd",
	"sql-drop": "drops a table or a database",
	"sql-delete-all": "deletes every row of a table",
	"sql-truncate": "empties a table",
	"stop-service": "stops or restarts a service of the system",
	"force-kill": "kills processes by name, without letting them finish",
	"kill-pattern": "kills all processes that a pattern fits",
	"kill-found": "kills processes that a search finds",
	"stop-container": "stops or restarts containers",
	"remove-container": "removes containers, images or volumes",
	"host-container": "starts a container that reaches the files or devices of the machine",
	"delete-cluster": "deletes what runs in a cluster or in a cloud",
	"stop-hermes": "stops, restarts or updates hermes itself",
	"kill-hermes": "kills hermes itself",
	"hermes-settings": "changes what hermes may do without asking",
	"inline-shell": "hands a script to another shell",
	"inline-code": "hands a program text to an interpreter",
	"piped-code": "runs what comes out of another command or a here-document",
	"downloaded-code": "runs what it downloads or decodes",
	"made-executable": "makes a file executable and runs it",
	"unknown-program": "runs something that cannot be told before it runs",
	"git-reset-hard": "throws away changes (git reset --hard)",
	"git-force-push": "overwrites the history of a remote branch",
	"git-clean": "deletes files that git does not know",
	"git-delete-branch": "deletes a branch although it is not merged",
	"git-discard": "throws away changes in the working folder",
	"git-drop-stash": "throws away stashed changes",
	"write-system": "writes to files of the system",
	"write-login": "writes to files that log you in, or that run at log-in",
	"write-hermes": "writes to the settings or keys of hermes",
	"write-project-secrets": "writes to a file with secrets or settings of a project",
	"read-credentials": "reads or sends credentials",
	"sudo-unattended": "gives sudo a password without you, or opens a shell of root",
	"crontab-change": "changes what runs on a schedule",
	firewall: "changes the firewall",
	"delete-user": "deletes a user or a group",
	"remote-destruction": "does on another machine or in a container what is never allowed here",
	"too-long": "is longer than 64 KB, more than anybody reads",
	script: "runs a script that can do whatever you can",
	note: "changes the notes that last over sessions",
} as const;

/** The name of a category. */
export type Category = keyof typeof categories;

/** What a model must never decide instead of a person: credentials, and its own leash. */
export const neverSmart: ReadonlySet<Category> = new Set([
	"read-credentials",
	"write-login",
	"write-hermes",
	"write-project-secrets",
	"sudo-unattended",
	"hermes-settings",
	"stop-hermes",
	"kill-hermes",
	"too-long",
	"script",
	"note",
]);

/** Whether `name` is a category; files may hold names of other versions. */
export function isCategory(name: string): name is Category {
	return Object.hasOwn(categories, name);
}

/** One danger of one command. */
export interface Danger {
	readonly category: Category;
	/** What a deletion reaches: places as they are written, each with the folder it counts from. */
	readonly reaches?: readonly Reach[];
}

/** A path of a command; `undefined` stands for one that is not known. */
export interface Reach {
	readonly path: string;
	readonly cwd: string | undefined;
}
