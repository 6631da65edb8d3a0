/** A stream that is no answer. */

/** The stream came to an end, or had a part, from which no message can be made; the text completes "…: it …". */
export class UnreadableStream extends Error {
	override readonly name = "UnreadableStream";
	/** True when the connection ended early: what came until then was well-formed. */
	readonly brokenOff: boolean;

	constructor(message: string, brokenOff: boolean, options?: ErrorOptions) {
		super(message, options);
		this.brokenOff = brokenOff;
	}
}

/** For a stream in which not one part was. */
export const nothingRead = "sent no answer that can be read";
/** For a stream that ended before its message did. */
export const endedEarly = "ended the stream in the middle of its answer";
