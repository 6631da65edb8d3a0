/** A process that renews a login and prints the access token: `renewing-process.ts HOME URL REFUSED`. */

import { loginFiles } from "../../../lib/mcp/auth/login-files.ts";
import { readOAuthSettings } from "../../../lib/mcp/auth/oauth-settings.ts";
import { createRenewal } from "../../../lib/mcp/auth/renewal.ts";

const [home = "", url = "", refused = ""] = process.argv.slice(2);
const files = loginFiles(home, { name: "s", url });
const renew = createRenewal({ serverUrl: url, settings: readOAuthSettings("s", {}), files, fetch });
process.stdout.write((await renew(refused, AbortSignal.timeout(30_000))).access_token);
