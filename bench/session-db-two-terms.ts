/** A search for two words in 100,000 messages, against the ranked statement under it. */

import { searchBench } from "./session-database.ts";

export default searchBench("two words", "seldom scarce", { samples: 100 });
