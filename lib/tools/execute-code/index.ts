/** The tool that runs a script which calls tools itself, so that only what it prints comes back. */

import { z } from "zod";
import { defineTool, type ToolAnswer, type ToolContext, toolError, toolResult } from "../../registry/tool.ts";
import { isIsolated } from "../../rpc/isolated.ts";
import { runScript, type ScriptResult } from "../../rpc/run-script.ts";
import { wholeText } from "../arguments/program-text.ts";
import { answerOf } from "./answer.ts";
import { describeScripts } from "./describe.ts";
import { scriptSettings } from "./settings.ts";

const noCode = "No code provided";

export default defineTool({
	name: "execute_code",
	toolset: "code_execution",
	loop: { isFreeStep: true },
	description:
		"Run a script that calls tools by functions of the module hermes_tools. Only what it prints comes back: use it for loops, filters, and work that would take many calls.",
	args: z.object({
		code: wholeText("a script").describe("The whole script"),
		language: z
			.enum(["python", "typescript"])
			.optional()
			.describe("python when left out; typescript where there is no Python"),
	}),
	resultLimit: 100_000,
	refusal: { tool_calls_made: 0, duration_seconds: 0 },

	describe: describeScripts,

	approval({ code, language = "python" }, { ranOn }) {
		if (code.trim() === "" || isIsolated(ranOn)) return undefined;
		return { kind: "script", language, code };
	},

	async run({ code, language }, context) {
		if (code.trim() === "") return toolError(noCode, { status: "error", tool_calls_made: 0, duration_seconds: 0 });
		const { scripts } = context;
		if (scripts === undefined) throw new Error("scripts cannot run here");
		const settings = scriptSettings(context.settings);
		const startedAt = performance.now();
		const result = await runScript(scripts, {
			...settings,
			code,
			language,
			redact: context.redact ?? ((text) => text),
			signal: context.signal,
		});
		const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
		return answer(result, { seconds, timeoutSeconds: settings.timeoutSeconds, context });
	},
});

function answer(
	result: ScriptResult,
	facts: { readonly seconds: number; readonly timeoutSeconds: number; readonly context: ToolContext },
): ToolAnswer {
	if (result.is === "ran") return toolResult(answerOf(result, { ...facts, isUser: facts.context.signal.aborted }));
	const common = {
		status: "error",
		output: "",
		tool_calls_made: 0,
		duration_seconds: facts.seconds,
		ran_on: result.ranOn,
	};
	if (result.is === "unreadable") return toolError(`The script cannot be read: ${result.reason}`, common);
	return toolError(missing(result.language, result.ranOn), common);
}

function missing(language: string, ranOn: string): string {
	return language === "python"
		? `There is no Python 3.8 or later on ${ranOn}. Write the script in TypeScript (language: "typescript"), or install python3`
		: `There is neither bun nor node on ${ranOn}. Write the script in Python, or install one of them`;
}
