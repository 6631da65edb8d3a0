/** Whether what a script does stays in a place that was made for it. */

const isolated = /^(?:docker|singularity|modal|managed_modal|daytona|vercel_sandbox)(?::|$)/;

/** `ranOn` of a session. Whatever is not known to be a container is somebody's machine, another one over ssh too. */
export function isIsolated(ranOn: string): boolean {
	return isolated.test(ranOn);
}
