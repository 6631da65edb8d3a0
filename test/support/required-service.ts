/** Services that a machine may lack: tests of one are skipped with a reason, or fail where the service is required. */

/**
 * Whether the service can be used: `tryIt` really tries it and throws when it cannot. The reason is printed, and thrown when
 * the variable HERMES_TEST_REQUIRE lists the name (`docker,ssh`).
 */
export async function requireService(name: string, tryIt: () => Promise<unknown>): Promise<boolean> {
	try {
		await tryIt();
		return true;
	} catch (cause) {
		const reason = cause instanceof Error ? cause.message : String(cause);
		if (isRequired(name)) throw new Error(`Cannot test ${name}, which is required here: ${reason}`, { cause });
		process.stderr.write(`${name} is not tested: ${reason}\n`);
		return false;
	}
}

/** Whether tests of that service must not be skipped here. */
export function isRequired(name: string): boolean {
	return (process.env.HERMES_TEST_REQUIRE ?? "").split(",").includes(name);
}

/**
 * The value of a variable that the script of the test services prints.
 * @throws {Error} When it is not set.
 */
export function serviceVariable(name: string): string {
	const value = process.env[name];
	if (value) return value;
	throw new Error(`${name} is not set; scripts/test-services.sh start prints it`);
}
