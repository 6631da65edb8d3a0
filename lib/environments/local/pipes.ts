/**
 * Real pipes for child processes. What Bun calls a pipe is a socket pair, in which `> /dev/stdout` and `tee /dev/stderr` fail
 * with ENXIO.
 */

import { openCLibrary } from "../../base/c-library.ts";

/** Two descriptors, both closed on exec. */
export interface PipeEnds {
	readonly readEnd: number;
	readonly writeEnd: number;
}

/** Makes pipes. */
export interface Pipes {
	open(): PipeEnds;
	/** Whether reads and writes of `descriptor` fail with EAGAIN instead of waiting. */
	setNonBlocking(descriptor: number, nonBlocking: boolean): void;
}

/** F_SETFL and FD_CLOEXEC are the same on Linux and macOS, O_NONBLOCK and O_CLOEXEC are not. */
const setStatusFlags = 4;
const setDescriptorFlags = 2;
const closeOnExec = 1;
const isMac = process.platform === "darwin";
const nonBlockingFlag = isMac ? 0x4 : 0o4000;
const closeOnExecFlag = 0o2000000;

/** The pipes of this system's C library, or undefined where it cannot be loaded: then Bun's own have to do. */
export async function loadPipes(): Promise<Pipes | undefined> {
	const library = await openCLibrary();
	if (library === undefined) return undefined;
	const { dlopen, FFIType, ptr } = library;
	const { i32, ptr: pointer } = FFIType;
	// fcntl is variadic: arm64 macOS takes its third argument from the stack, others from a register, so it is put in both.
	const fcntlTypes = { args: [i32, i32, i32, i32, i32, i32, i32, i32, i32], returns: i32 } as const;
	const cell = new Int32Array(2);
	const opened = (status: number): PipeEnds => {
		const [readEnd, writeEnd] = cell;
		if (status !== 0 || readEnd === undefined || writeEnd === undefined)
			throw new Error("Cannot make a pipe: the system refused");
		return { readEnd, writeEnd };
	};
	if (isMac) {
		const { symbols } = dlopen(library.path, { pipe: { args: [pointer], returns: i32 }, fcntl: fcntlTypes });
		const setFlags = (descriptor: number, command: number, value: number) =>
			void symbols.fcntl(descriptor, command, value, value, value, value, value, value, value);
		return {
			open() {
				const ends = opened(symbols.pipe(ptr(cell)));
				setFlags(ends.readEnd, setDescriptorFlags, closeOnExec);
				setFlags(ends.writeEnd, setDescriptorFlags, closeOnExec);
				return ends;
			},
			setNonBlocking: (descriptor, on) => setFlags(descriptor, setStatusFlags, on ? nonBlockingFlag : 0),
		};
	}
	const { symbols } = dlopen(library.path, { pipe2: { args: [pointer, i32], returns: i32 }, fcntl: fcntlTypes });
	return {
		open: () => opened(symbols.pipe2(ptr(cell), closeOnExecFlag)),
		setNonBlocking(descriptor, on) {
			const value = on ? nonBlockingFlag : 0;
			symbols.fcntl(descriptor, setStatusFlags, value, value, value, value, value, value, value);
		},
	};
}
