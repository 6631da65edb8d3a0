/** Programs on a pseudo terminal, for benches of what a person at a terminal waits for. */

/** A program whose terminal can be watched. */
export interface OnTerminal extends AsyncDisposable {
	/** Resolves when `text` has been written since the last call. */
	shows(text: string): Promise<void>;
	type(keys: string): void;
}

/** Starts `argv` on a terminal of 100 by 30, with `home` as the home of its user. */
export function openOnTerminal(argv: string[], home: string): OnTerminal {
	const decoder = new TextDecoder();
	let written = "";
	let wake = () => {};
	const child = Bun.spawn(argv, {
		cwd: home,
		env: { PATH: "/usr/bin:/bin", TERM: "xterm-256color", HOME: home },
		terminal: {
			cols: 100,
			rows: 30,
			data(_, bytes) {
				written += decoder.decode(bytes, { stream: true });
				wake();
			},
		},
	});
	return {
		async shows(text) {
			for (;;) {
				const at = written.indexOf(text);
				if (at >= 0) {
					written = written.slice(at + text.length);
					return;
				}
				// Enough for a text that has arrived in part.
				written = written.slice(-1_000);
				await new Promise<void>((resolve) => {
					wake = resolve;
				});
			}
		},
		type: (keys) => void child.terminal?.write(keys),
		async [Symbol.asyncDispose]() {
			child.kill("SIGKILL");
			await child.exited;
			child.terminal?.close();
		},
	};
}
