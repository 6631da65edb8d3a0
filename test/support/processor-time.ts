/** How much work something is, on a machine that also does other things. */

/** Milliseconds of processor time that `run` takes in this process; what other processes take is not in it. */
export function processorMs(run: () => void): number {
	const before = process.cpuUsage();
	run();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1_000;
}
