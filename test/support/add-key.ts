/** A process that adds keys to `auth.json`: `add-key.ts HOME PREFIX COUNT`. */

import { storeKey } from "../../lib/cli/auth/store-key.ts";

const [home = "", prefix = "", count = "0"] = process.argv.slice(2);
for (let index = 0; index < Number(count); index++) {
	const name = `${prefix}-${index}`;
	await storeKey(home, "openrouter", { secret: `sk-${name}`, label: name, source: "manual" });
}
