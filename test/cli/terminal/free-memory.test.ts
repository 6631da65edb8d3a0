/** Memory of a chat that waits: only the code of the program itself is given back, and only where nobody has changed it. */

import { expect, test } from "bun:test";
import { unchangedCode } from "../../../lib/cli/terminal/free-memory.ts";

const smaps = `00200000-01a39000 r--p 00000000 00:2a 12 /usr/bin/hermes
Rss:                8996 kB
Anonymous:             0 kB
VmFlags: rd mr mw me sd
01a40000-0684a000 r-xp 01838000 00:2a 12                                 /usr/bin/hermes
Rss:               36552 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me sd
0684a000-06850000 r-xp 06642000 00:2a 12                                 /usr/bin/hermes
Rss:                  24 kB
Anonymous:             4 kB
7fe2e652b000-7fe2e6681000 r-xp 00026000 00:2a 13                         /usr/lib/x86_64-linux-gnu/libc.so.6
Anonymous:             0 kB
7fe2a61c0000-7fe2e61c0000 rwxp 00000000 00:00 0
Anonymous:           632 kB
`;

test("unchangedCode() finds the code of the program that nobody has written into", () => {
	expect(unchangedCode(smaps, "/usr/bin/hermes")).toEqual([{ start: 0x01a40000n, end: 0x0684a000n }]);
	expect(unchangedCode(smaps, "/usr/bin/other")).toEqual([]);
});
