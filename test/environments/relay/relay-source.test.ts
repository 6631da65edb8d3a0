import { expect, test } from "bun:test";
import { join } from "node:path";
import { requireService } from "../../support/required-service.ts";

const source = join(import.meta.dir, "../../../lib/environments/relay/relay.py");

/** What every Python 3.6 has in its core or standard library, and what is imported only where it is used. */
const allowedAtStart = ["_signal", "errno", "heapq", "os", "select", "signal", "struct", "sys", "time"];
const allowedLater = ["ctypes", "fcntl", "shutil", "socket", "stat", "tarfile", "termios"];

const look = `
import ast, json, sys
text = open(sys.argv[1], "rb").read()
tree = ast.parse(text, feature_version=(3, 6))
def names(nodes):
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import): found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom): found.add(node.module)
    return sorted(found)
top = [node for statement in tree.body if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)) for node in ast.walk(statement)]
late = set(names(ast.walk(tree))) - set(names(top))
print(json.dumps({"ascii": text.isascii(), "top": names(top), "late": sorted(late)}))`;

const hasPython = await requireService("python3", async () => {
	if (Bun.which("python3") === null) throw new Error("there is no python3");
});

test.skipIf(!hasPython)("relay.py is Python 3.6 and uses the standard library alone", async () => {
	const asked = Bun.spawn(["python3", "-c", look, source], { stdout: "pipe", stderr: "inherit" });
	expect(await new Response(asked.stdout).json()).toEqual({ ascii: true, top: allowedAtStart, late: allowedLater });
});
