/** A process that replaces a file once: `file-writer.ts PATH CONTENT`. */

import { writeFileAtomically } from "../../lib/base/atomic-write.ts";

const [path = "", content = ""] = process.argv.slice(2);
writeFileAtomically(path, content);
