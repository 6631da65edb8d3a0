/** Shows calls of tools: those that run side by side, and what became of each. */

import type { AgentEvent } from "../../agent/events.ts";
import { printable } from "../runtime/paint.ts";
import type { LivePart, Screen } from "./screen.ts";
import type { WorkView } from "./show-work.ts";
import { type CallLooks, type ShownCall, showCall } from "./tool-call.ts";

type Event<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

/** How calls are shown. */
export interface CallViewOptions extends Pick<CallLooks, "now"> {
	/** For the call that begins now; see `CallLooks`. */
	kept(): CallLooks["kept"];
}

/** The calls on `screen`; while one runs, `work` says nothing. */
export function createCallView(screen: Screen, work: WorkView, { kept, now }: CallViewOptions) {
	const running = new Map<string, { readonly call: ShownCall; readonly part: LivePart }>();
	let ranOn = "";
	const end = (id: string) => {
		running.get(id)?.part[Symbol.dispose]();
		running.delete(id);
		if (running.size === 0) work.show();
	};
	return {
		place(name: string) {
			ranOn = printable(name);
		},
		start(event: Event<"tool_started">) {
			work.hide();
			const lines = kept();
			const { pi, theme } = screen;
			const call = showCall(event, { pi, theme, ranOn, now, ...(lines && { kept: lines }) });
			const { render } = call.part;
			const part = screen.live({ ...call.part, render: (width) => ["", ...render(width)] });
			running.set(event.id, { call, part });
		},
		output({ id, text }: Event<"tool_output">) {
			const shown = running.get(id);
			shown?.call.say(text);
			shown?.part.changed();
		},
		finish(event: Event<"tool_finished">) {
			const shown = running.get(event.id);
			if (shown === undefined) return;
			screen.addLines(shown.call.finished(event), { isApart: true, indent: "    " });
			end(event.id);
		},
		/** Calls that were cut off. */
		end() {
			for (const id of [...running.keys()]) end(id);
		},
	};
}
