/** A search for a word of every second message in 100,000 messages, against the ranked statement under it. */

import { searchBench } from "./session-database.ts";

export default searchBench("a word of every second message", "common", { samples: 10, target: 1.3 });
