/** The words that stand for an image in what a user types: `[image #1: sketch.png 800×600]`. */

const markers = /\[image #\d+: [^[\]\n]*\]/g;
const markerAtEnd = /\[image #\d+: [^[\]\n]*\]$/;
const markerAtStart = /^\[image #\d+: [^[\]\n]*\]/;

/** The marker that `text` ends with; empty when there is none. */
export function markerBefore(text: string): string {
	return markerAtEnd.exec(text)?.[0] ?? "";
}

/** The marker that `text` begins with; empty when there is none. */
export function markerBehind(text: string): string {
	return markerAtStart.exec(text)?.[0] ?? "";
}

/** Each marker of `text` once, in the order in which they stand. */
export function markersIn(text: string): readonly string[] {
	return [...new Set(text.match(markers) ?? [])];
}

/** `text` with what `by` has for each marker in its place. */
export function replaceMarkers(text: string, by: (marker: string) => string): string {
	return text.replace(markers, by);
}

/** `text` of an earlier chat: its images are not here, and their markers may mean others now. */
export function withoutMarkers(text: string): string {
	return replaceMarkers(text, (marker) => marker.replace(/image #\d+/, "earlier image"));
}
