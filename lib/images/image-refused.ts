/** The error for an image that cannot go with a question. */

/** Its message says what can be done instead. */
export class ImageRefused extends Error {
	override readonly name = "ImageRefused";
}
