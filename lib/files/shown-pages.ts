/** Which pages of files an agent has before its eyes, so that it does not get the same text again and again. */

/** Lines of a file that somebody asks for. */
export interface PageOfFile {
	readonly offset: number;
	readonly limit: number;
}

/** Pages of one agent that are remembered; the one that was shown first is forgotten first. */
const mostPages = 1_000;

interface Shown {
	readonly path: string;
	readonly stamp: string;
	repeats: number;
}

/** A call that brings the same every time. */
interface Row {
	readonly call: string;
	readonly answer: string;
	readonly count: number;
}

/** What the agents of one process have seen. */
export class ShownPages {
	readonly #shown = new Map<string, Map<string, Shown>>();
	readonly #rows = new Map<string, Row>();

	/** The agent has got the page. */
	wasShown(agent: string, path: string, page: PageOfFile & { readonly stamp: string }): void {
		const pages = this.#shown.get(agent) ?? new Map<string, Shown>();
		this.#shown.set(agent, pages);
		const key = keyOf(path, page);
		pages.delete(key);
		pages.set(key, { path, stamp: page.stamp, repeats: 0 });
		const [oldest] = pages.keys();
		if (pages.size > mostPages && oldest !== undefined) pages.delete(oldest);
	}

	/** Counts that the agent asks for a page which it has; 0 when it has not, or has it as the file was before. */
	askedAgain(agent: string, path: string, page: PageOfFile & { readonly stamp: string }): number {
		this.#rows.delete(agent);
		const shown = this.#shown.get(agent)?.get(keyOf(path, page));
		if (shown === undefined || shown.stamp !== page.stamp) return 0;
		shown.repeats++;
		return shown.repeats;
	}

	/** How often `call` has brought `answer` in a row, with this time: searches of an agent that goes in circles. */
	inARow(agent: string, call: string, answer: string): number {
		const last = this.#rows.get(agent);
		const count = last?.call === call && last.answer === answer ? last.count + 1 : 1;
		this.#rows.set(agent, { call, answer, count });
		return count;
	}

	/** The file was changed by the agent itself: what it saw before is no help any more. */
	wasChanged(agent: string, path: string): void {
		const pages = this.#shown.get(agent);
		for (const [key, shown] of pages ?? []) if (shown.path === path) pages?.delete(key);
	}

	/** The agent calls `tool`. Unless it looks at files, asking for a page once more is no circle after it. */
	beforeCall(agent: string, tool: { readonly toolset: string; readonly readOnly?: boolean }): void {
		if (tool.toolset === "file" && tool.readOnly === true) return;
		this.#rows.delete(agent);
		for (const shown of this.#shown.get(agent)?.values() ?? []) shown.repeats = 0;
	}

	/** The agent's conversation was made shorter: pages may not be in it any more. */
	forget(agent: string): void {
		this.#shown.delete(agent);
	}
}

function keyOf(path: string, { offset, limit }: PageOfFile): string {
	return `${offset}:${limit}:${path}`;
}

/** What an agent is told instead of a page that it has. */
export const unchangedMessage =
	"The file has not changed since you read these lines; what you got then is still what it holds. Use that instead of reading again.";

/** Whether a new file would hold what we said instead of a file. A long text may quote it. */
export function isUnchangedMessage(content: string): boolean {
	return content.includes(unchangedMessage) && content.length <= 2 * unchangedMessage.length;
}
