/** A program that asks the terminal for its attributes and ends without having read the answer. */

import { writeSync } from "node:fs";
import { createAwaitedReply } from "../../lib/cli/terminal/awaited-reply.ts";

process.stdin.setRawMode(true);
const attributes = createAwaitedReply();
attributes.asked();
writeSync(1, "\u001b[c");
attributes.swallow();
process.stdin.setRawMode(false);
process.exit();
