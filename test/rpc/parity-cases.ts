/** What every script can rely on, wherever it runs: programs, and what has to come of them. */

import type { RanScript } from "../../lib/rpc/run-script.ts";

/** One program. */
export interface ParityCase {
	readonly name: string;
	/** Python; `FOLDER` stands for a folder of the case's own, which exists, and `LIMIT` for the calls that are allowed. */
	readonly code: string;
	readonly timeoutSeconds?: number;
	/** Interrupted as soon as it makes a call of this tool. */
	readonly interruptAt?: string;
	/** The whole of what is looked at. */
	readonly expected: Partial<Pick<RanScript, "output" | "exitCode" | "ended" | "callCount">>;
	/** What standard error has to say. */
	readonly errors?: RegExp;
	/** A command that succeeds when nothing of the script is left. */
	readonly leaves?: string;
}

const ran = { ended: "exited", exitCode: 0 } as const;

export const parityCases: readonly ParityCase[] = [
	{
		name: "R064: all seven tools, and everything it prints",
		code: `
from hermes_tools import web_search, web_extract, read_file, write_file, search_files, patch, terminal
print(write_file("FOLDER/notes.txt", "one\\ntwo\\n")["bytes_written"])
print(patch("FOLDER/notes.txt", "two", "three")["success"])
print(read_file("FOLDER/notes.txt", limit=1)["content"])
print([match["line"] for match in search_files("three", path="FOLDER")["matches"]])
print(terminal("cat notes.txt", workdir="FOLDER")["output"].split())
print(web_search("hermes", limit=2)["searched"], web_extract(["http://a", "http://b"])["extracted"])
print("error" in read_file("FOLDER/nothing.txt"))
`,
		expected: {
			...ran,
			callCount: 8,
			output:
				"8\nTrue\n1|one\n[2]\n['one', 'three']\n{'query': 'hermes', 'limit': 2} {'urls': ['http://a', 'http://b']}\nTrue\n",
		},
	},
	{
		name: "arguments and results of 200 KB",
		code: `
from hermes_tools import patch, read_file, write_file, terminal
lines = ["%04d" % number + "\\u6f22" * 40 for number in range(1900)]
print(write_file("FOLDER/large.txt", "\\n".join(lines))["bytes_written"])
content = read_file("FOLDER/large.txt", limit=2000)["content"]
print(len(content.encode()) > 200000, [line.split("|", 1)[1] for line in content.split("\\n")] == lines)
print(patch("FOLDER/large.txt", "0007" + "\\u6f22" * 40, "y" * 200000)["success"])
print(terminal("wc -c <FOLDER/large.txt; : " + "x" * 60000)["output"].strip())
`,
		expected: { ...ran, callCount: 4, output: "237499\nTrue True\nTrue\n437375\n" },
	},
	{
		name: "text of all kinds",
		code: `
from hermes_tools import read_file, shell_quote, terminal, write_file
text = "\\u00e4\\u6f22\\U0001f600\\u2028\\u2029 '\\"\\\\ $HOME \`x\` \\t end"
print(terminal("printf %s " + shell_quote(text))["output"] == text)
write_file("FOLDER/text", text + "\\n")
print(terminal("cat FOLDER/text")["output"] == text)
print("error" in write_file("FOLDER/half", "\\ud800"))
print("\\u00e4\\U0001f600")
`,
		expected: { ...ran, callCount: 4, output: "True\nTrue\nTrue\nä😀\n" },
	},
	{
		name: "threads",
		code: `
from concurrent.futures import ThreadPoolExecutor
from hermes_tools import terminal
with ThreadPoolExecutor(12) as pool:
    answers = list(pool.map(lambda n: terminal("echo %d" % n)["output"], range(12)))
print(answers == [str(n) for n in range(12)])
`,
		expected: { ...ran, callCount: 12, output: "True\n" },
	},
	{
		name: "asyncio",
		code: `
import asyncio
from hermes_tools import terminal
async def one(n):
    loop = asyncio.get_running_loop()
    return (await loop.run_in_executor(None, terminal, "echo %d" % n))["output"]
async def main():
    return await asyncio.gather(*(one(n) for n in range(3)))
print(asyncio.run(main()))
`,
		expected: { ...ran, callCount: 3, output: "['0', '1', '2']\n" },
	},
	{
		name: "multiprocessing",
		code: `
import multiprocessing
from hermes_tools import terminal
def one(n):
    return terminal("echo %d" % n)["output"]
if __name__ == "__main__":
    one(9)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(one, range(4)))
`,
		expected: { ...ran, callCount: 5, output: "['0', '1', '2', '3']\n" },
	},
	{
		name: "a child that is forked",
		code: `
import os
from hermes_tools import terminal
print(terminal("echo before")["output"], flush=True)
child = os.fork()
answer = terminal("echo child" if child == 0 else "echo parent")["output"]
if child == 0:
    os.write(1, (answer + "\\n").encode())
    os._exit(0)
os.waitpid(child, 0)
print(answer)
`,
		expected: { ...ran, callCount: 3, output: "before\nchild\nparent\n" },
	},
	{
		name: "a program that it starts",
		code: `
import subprocess, sys
code = "from hermes_tools import terminal; print(terminal('echo inner')['output'])"
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip())
`,
		expected: { ...ran, callCount: 1, output: "inner\n" },
	},
	{
		name: "one that does not listen to SIGTERM is killed at its time, and what it started too",
		code: `
import os, signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["sh", "-c", "trap '' TERM; while :; do sleep 0.2; done # FOLDER/child"])
print("begun", flush=True)
while True:
    time.sleep(0.1)
`,
		timeoutSeconds: 4,
		expected: { ended: "timed_out", exitCode: 124, callCount: 0, output: "begun\n" },
		leaves: "FOLDER/child",
	},
	{
		name: "programs that it left running end with it, also in a session of their own",
		code: `
import subprocess
loop = "while :; do sleep 0.2; done # FOLDER/child"
subprocess.Popen(["sh", "-c", loop])
subprocess.Popen(["sh", "-c", loop], start_new_session=True)
print("done")
`,
		expected: { ...ran, callCount: 0, output: "done\n" },
		leaves: "FOLDER/child",
	},
	{
		name: "one that exits in the middle of a call",
		code: `
import os, threading, time
from hermes_tools import terminal
print(terminal("echo one")["output"], flush=True)
threading.Thread(target=terminal, args=("sleep 30; : FOLDER/left",)).start()
time.sleep(0.5)
os._exit(3)
`,
		expected: { ended: "exited", exitCode: 3, output: "one\n" },
		leaves: "FOLDER/left",
	},
	{
		name: "a call more than are allowed",
		code: `
from concurrent.futures import ThreadPoolExecutor
from hermes_tools import ToolError, ToolLimitError, retry, web_search
with ThreadPoolExecutor(8) as pool:
    print(len(list(pool.map(lambda n: web_search(str(n)), range(LIMIT)))))
try:
    retry(lambda: web_search("one more"), max_attempts=3, delay=30)
except ToolLimitError as error:
    print(isinstance(error, ToolError), str(error).split(".")[0])
`,
		expected: { ...ran, output: "LIMIT\nTrue Tool call limit reached (LIMIT)\n" },
	},
	{
		name: "an interrupt during a call",
		code: `
from hermes_tools import terminal
print("begun", flush=True)
terminal("sleep 30; : FOLDER/left")
print("never")
`,
		interruptAt: "terminal",
		expected: { ended: "interrupted", exitCode: 130, callCount: 1, output: "begun\n" },
		leaves: "FOLDER/left",
	},
	{
		name: "a tool that it may not call",
		code: `
import hermes_tools
for name in ("execute_code", "memory", "nothing"):
    try:
        hermes_tools._call(name, code="1")
    except hermes_tools.ToolError as error:
        print(str(error).split(":")[0])
print(hasattr(hermes_tools, "execute_code"))
`,
		expected: {
			...ran,
			callCount: 0,
			output: [
				..."execute_code memory nothing".split(" ").map((name) => `Cannot call "${name}" from a script`),
				"False\n",
			].join("\n"),
		},
	},
	{
		name: "R073: a script that cannot be parsed says where, and nothing of it runs",
		code: "from hermes_tools import terminal\nterminal('touch FOLDER/ran')\nvalue = (1 +\n",
		expected: { ended: "exited", exitCode: 1, callCount: 0, output: "" },
		errors: /script\.py", line 3[\s\S]*\^[\s\S]*SyntaxError/,
	},
];
