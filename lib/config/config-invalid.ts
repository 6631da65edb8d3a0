/** Configuration that cannot be used as it is written. */

/** Where in a file a problem lies; lines and columns count from 1. */
export interface Position {
	readonly line: number;
	readonly column: number;
}

/** The message is one line: which file or variable, where, and what was expected. Never the value of a secret. */
export class ConfigInvalid extends Error {
	override readonly name = "ConfigInvalid";
	readonly position: Position | undefined;

	constructor(message: string, options: { readonly position?: Position | undefined; readonly cause?: unknown } = {}) {
		super(message, options.cause === undefined ? {} : { cause: options.cause });
		this.position = options.position;
	}
}
