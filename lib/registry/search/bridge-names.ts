/** The names of the three tools that stand in for many others. */

export const searchTool = "tool_search";
export const describeTool = "tool_describe";
export const callTool = "tool_call";

/** No other tool may have one of these names. */
export const bridgeNames: ReadonlySet<string> = new Set([searchTool, describeTool, callTool]);
