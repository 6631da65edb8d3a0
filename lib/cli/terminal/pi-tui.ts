/** The library that draws, loaded when a chat is drawn: everything else of hermes starts without it. */

/** All that the library exports. */
export type PiTui = typeof import("@earendil-works/pi-tui");

/** Loads it, and switches off what it would only guess about a terminal. */
export async function loadPiTui(): Promise<PiTui> {
	const pi = await import("@earendil-works/pi-tui");
	// Where a link leads is written out: its words are the model's.
	pi.setCapabilityOverrides({ hyperlinks: false, images: null });
	return pi;
}
