/** Thrown when the engine says that a container is not there or does not run, before anything was started in it. */

/** Answers of the engine to a request for a container: it does not exist, it does not run, it is being removed. */
export const goneStatuses: readonly number[] = [404, 409];

/** The container cannot start processes. Nothing was started, so it is safe to begin anew in another one. */
export class ContainerGone extends Error {
	override readonly name = "ContainerGone";
}
