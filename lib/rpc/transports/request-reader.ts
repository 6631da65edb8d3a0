/** Takes requests out of what the process says that looks for them: a line with name and size, then so many bytes. */

/** One request. */
export interface FileRequest {
	readonly name: string;
	readonly text: string;
}

/** More bytes than that without a line end are none of ours. */
const longestLine = 200;

/** Keeps what is not complete yet. */
export class RequestReader {
	#parts: Uint8Array[] = [];
	#total = 0;
	#wanted = 1;

	/** @throws {Error} When the text is not of that form. */
	*read(bytes: Uint8Array): Generator<FileRequest> {
		this.#parts.push(bytes);
		this.#total += bytes.length;
		while (this.#total >= this.#wanted) {
			const all = Buffer.concat(this.#parts);
			this.#parts = [all];
			const lineEnd = all.indexOf("\n");
			if (lineEnd < 0 && all.length <= longestLine) {
				this.#wanted = all.length + 1;
				return;
			}
			const head = /^(\w+) (\d+)$/.exec(all.toString("latin1", 0, Math.max(lineEnd, 0)));
			if (head === null) throw new Error("Cannot read the calls of a script: what it left is no request");
			const [, name = "", size] = head;
			const end = lineEnd + 1 + Number(size);
			if (all.length < end) {
				this.#wanted = end;
				return;
			}
			yield { name, text: all.toString("utf8", lineEnd + 1, end) };
			this.#parts = [all.subarray(end)];
			this.#total = all.length - end;
			this.#wanted = 1;
		}
	}
}
