/** The line that says that something is going on, while nothing else says so. */

import { liveBlock } from "./blocks.ts";
import type { LivePart, Screen } from "./screen.ts";

/** That line. */
export interface WorkView {
	/** A turn begins. */
	begin(): void;
	/** Something else is shown instead. */
	hide(): void;
	show(): void;
	/** The turn is over. */
	end(): void;
}

/** The line on `screen`; `now` is in milliseconds since some moment. */
export function createWorkView(screen: Screen, now: () => number): WorkView {
	let began = 0;
	let timer: Timer | undefined;
	let part: LivePart | undefined;
	const line = liveBlock(screen.pi, () => {
		const seconds = Math.floor((now() - began) / 1000);
		return ["", screen.theme.dim(`… ${seconds > 0 ? `${seconds} s · ` : ""}Ctrl-C stops`)];
	});
	const hide = () => {
		part?.[Symbol.dispose]();
		part = undefined;
	};
	return {
		begin() {
			began = now();
			clearInterval(timer);
			// The seconds of what runs; nothing is drawn while nothing runs.
			timer = setInterval(() => screen.draw(), 1_000);
			part ??= screen.live(line);
		},
		hide,
		show() {
			if (timer !== undefined) part ??= screen.live(line);
		},
		end() {
			clearInterval(timer);
			timer = undefined;
			hide();
		},
	};
}
