/** The settings of scripts. */

import type { ToolSettings } from "../../registry/tool.ts";
import type { ScriptRequest } from "../../rpc/run-script.ts";

/** What config.yaml says of scripts, in the words of a request. */
export type ScriptSettings = Pick<
	ScriptRequest,
	"mode" | "timeoutSeconds" | "maxCalls" | "withServers" | "passthrough" | "timeZone"
>;

/** Reads them; the defaults where there are no settings. */
export function scriptSettings(settings: ToolSettings | undefined): ScriptSettings {
	return {
		mode: settings?.get("code_execution.mode") ?? "project",
		timeoutSeconds: settings?.get("code_execution.timeout") ?? 300,
		maxCalls: settings?.get("code_execution.max_tool_calls") ?? 50,
		withServers: settings?.get("code_execution.mcp_tools") ?? false,
		passthrough: settings?.get("terminal.env_passthrough") ?? [],
		timeZone: settings?.variables.HERMES_TIMEZONE,
	};
}
