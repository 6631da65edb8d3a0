/** Shows calls of tools: those that run side by side, and what became of each. */

import type { AgentEvent } from "../../agent/events.ts";
import { printable } from "../runtime/paint.ts";
import type { LivePart, Screen } from "./screen.ts";
import type { WorkView } from "./show-work.ts";
import { type CallLooks, type ShownCall, showCall } from "./tool-call.ts";

type Event<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

/** How calls are shown. */
export interface CallViewOptions extends Pick<CallLooks, "kept" | "now"> {
	/** Nothing is shown of calls. */
	readonly isSilent: boolean;
}

/** The calls on `screen`; while one runs, `work` says nothing. */
export function createCallView(screen: Screen, work: WorkView, { isSilent, ...looks }: CallViewOptions) {
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
			if (isSilent) return;
			work.hide();
			const call = showCall(event, { ...looks, pi: screen.pi, theme: screen.theme, ranOn });
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
