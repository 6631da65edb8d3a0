/** The names of the three tools that stand in for many others. */

/** Finds tools by words. */
export const searchTool = "tool_search";
/** Shows one tool's schema. */
export const describeTool = "tool_describe";
/** Calls a tool that was found. */
export const callTool = "tool_call";

/** No other tool may have one of these names. */
export const bridgeNames: ReadonlySet<string> = new Set([searchTool, describeTool, callTool]);
