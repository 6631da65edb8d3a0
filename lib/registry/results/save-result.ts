/** Saves a result that is too long for a model in the sandbox, where the model can read it page by page. */

import { createHash } from "node:crypto";
import { attemptAsync } from "../../base/attempt.ts";
import { runScript } from "../../files/run-script.ts";
import type { Saved, ToolContext } from "../tool.ts";

const timeoutSeconds = 30;

/**
 * The folder belongs to one user and is checked each time: somebody else could have made it, or a link, in a shared /tmp.
 * A file of the same name is removed and made anew, so nothing is ever written through a link.
 */
const saveScript = `
umask 077
folder=\${TMPDIR:-/tmp}
folder=\${folder%/}/hermes-results-$(id -u)
mkdir -p "$folder" 2>/dev/null
if [ -L "$folder" ] || [ ! -d "$folder" ] || [ ! -O "$folder" ]; then
	emit failed "$folder cannot be used"; done_
fi
chmod 700 "$folder"
file=$folder/$1
rm -f "$file"
set -C
if cat >"$file" 2>/dev/null; then emit path "$file"
else rm -f "$file"; emit failed "$file cannot be written"
fi
done_
`;

const removeScript = `
for file do rm -f "$file"; done
done_
`;

/** Writes `text` as a 0600 file named after the call. It goes through standard input: an argument holds 128 KB at most. */
export async function saveResult(context: Pick<ToolContext, "execute">, name: string, text: string): Promise<Saved> {
	const ran = await attemptAsync(() =>
		runScript(context, { script: saveScript, args: [`${fileName(name)}.txt`], stdin: text, timeoutSeconds }),
	);
	if (!ran.ok) return ran;
	const path = ran.value.fields.get("path");
	if (path !== undefined && !ran.value.timedOut) return { ok: true, path };
	return { ok: false, reason: ran.value.fields.get("failed") ?? "the sandbox did not answer in time" };
}

/** Removes saved files; a sandbox that is gone has taken them with it. */
export async function removeResults(context: Pick<ToolContext, "execute">, paths: readonly string[]): Promise<void> {
	if (paths.length > 0)
		await attemptAsync(() => runScript(context, { script: removeScript, args: paths, timeoutSeconds }));
}

/** Ids come from a provider: one that could lead elsewhere is replaced by its hash. */
export function fileName(id: string): string {
	return /^[A-Za-z0-9_-]{1,80}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 32);
}
