/** Runs before a script that this executable runs: what the script starts must not become this program again. */
delete process.env.BUN_BE_BUN;
// Left to themselves these two pass on the environment that the process was started with.
for (const name of ["spawn", "spawnSync"]) {
	const start = Bun[name];
	Bun[name] = (first, options) => {
		const isList = Array.isArray(first);
		const given = isList ? options : first;
		return isList
			? start(first, { ...given, env: given?.env ?? process.env })
			: start({ ...given, env: given?.env ?? process.env });
	};
}
