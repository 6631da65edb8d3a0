/** A process that sets settings one after the other and says so: `config-writer.ts HOME PREFIX COUNT`. */

import { setSetting } from "../../lib/config/set.ts";

const [home = "", prefix = "", count = "0"] = process.argv.slice(2);
for (let index = 0; index < Number(count); index++) {
	await setSetting({ home, path: `hooks.${prefix}${index}`, written: `"${prefix}${index}"` });
	await setSetting({ home, path: `${prefix.toUpperCase()}${index}_TOKEN`, written: `${prefix}${index}` });
	process.stdout.write(`${index}\n`);
}
