/** A search for a phrase in 100,000 messages, against the ranked statement under it. */

import { searchBench } from "./session-database.ts";

export default searchBench("a phrase", '"exact phrase"', { samples: 100 });
