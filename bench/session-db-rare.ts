/** A search for a rare word in 100,000 messages, against the ranked statement under it. */

import { searchBench } from "./session-database.ts";

export default searchBench("a rare word", "unique", { samples: 100 });
