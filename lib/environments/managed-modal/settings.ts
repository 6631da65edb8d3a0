/** What managed sandboxes are made of: the part of the modal backend's settings that the gateway knows. */

/** Named as below `terminal.` in the configuration. */
export interface ManagedSettings {
	readonly modal_image: string;
	/** Seconds a sandbox may live; an hour when left out. */
	readonly modal_timeout?: number | undefined;
	/** Seconds a command may take: the sandbox is not idle meanwhile. */
	readonly timeout?: number | undefined;
	readonly container_cpu: number;
	/** Megabytes. */
	readonly container_memory: number;
	/** Megabytes. */
	readonly container_disk: number;
	readonly container_persistent: boolean;
	/** Files that tools in the sandbox would need; the gateway takes none. */
	readonly credential_files?: readonly string[] | undefined;
}
