/** Runs the user's editor on the terminal that we stand on. */

/**
 * Returns its exit code. `editor` may have arguments of its own (`code --wait`), as its variables do by custom. It is a program of the
 * user's, and gets the whole environment that hermes was started with.
 */
export async function runEditor(editor: string, path: string): Promise<number> {
	const child = Bun.spawn(["sh", "-c", `${editor} "$1"`, "sh", path], {
		stdin: "inherit",
		stdout: "inherit",
		stderr: "inherit",
	});
	return await child.exited;
}
