/** The toolsets that always exist, whether their tools are there or not. */

/** One set: its own tools, and the sets that it takes in whole. */
export interface ToolsetRow {
	readonly description: string;
	readonly tools: readonly string[];
	readonly includes?: readonly string[];
}

const fileTools = ["read_file", "write_file", "patch", "search_files"] as const;
const skillTools = ["skills_list", "skill_view", "skill_manage"] as const;
const browserTools = [
	...["browser_navigate", "browser_snapshot", "browser_click", "browser_type", "browser_scroll", "browser_back"],
	...["browser_press", "browser_get_images", "browser_vision", "browser_console"],
] as const;
const laterBrowserTools = ["browser_cdp", "browser_dialog"] as const;
const homeTools = ["ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service"] as const;
const kanbanTools = [
	...["kanban_show", "kanban_list", "kanban_complete", "kanban_block", "kanban_heartbeat"],
	...["kanban_comment", "kanban_create", "kanban_link", "kanban_unblock"],
] as const;
const yuanbaoTools = [
	...["yb_query_group_info", "yb_query_group_members", "yb_send_dm", "yb_search_sticker", "yb_send_sticker"],
] as const;
const feishuDriveTools = [
	...["feishu_drive_list_comments", "feishu_drive_list_comment_replies"],
	...["feishu_drive_reply_comment", "feishu_drive_add_comment"],
] as const;

/** What every platform gets: edited here, changed everywhere. These tools are never deferred behind a search. */
export const coreTools: readonly string[] = [
	...["web_search", "web_extract", "terminal", "process", "read_terminal"],
	...fileTools,
	...["vision_analyze", "image_generate"],
	...skillTools,
	...browserTools,
	...laterBrowserTools,
	...["text_to_speech", "todo", "memory", "session_search", "clarify", "execute_code", "delegate_task", "cronjob"],
	"send_message",
	...homeTools,
	...kanbanTools,
	"computer_use",
];

/** Coding and nothing else: no messages, speech, pictures, home, schedules or boards. */
const codingTools = coreTools.filter(
	(name) =>
		!["send_message", "text_to_speech", "image_generate", "cronjob", "computer_use"].includes(name) &&
		!name.startsWith("ha_") &&
		!name.startsWith("kanban_"),
);

const single: Readonly<Record<string, ToolsetRow>> = {
	web: { description: "Search the web and read its pages", tools: ["web_search", "web_extract"] },
	search: { description: "Search the web", tools: ["web_search"] },
	x_search: { description: "Search posts on X", tools: ["x_search"] },
	vision: { description: "Look at pictures", tools: ["vision_analyze"] },
	video: { description: "Look at videos", tools: ["video_analyze"] },
	image_gen: { description: "Make pictures", tools: ["image_generate"] },
	video_gen: { description: "Make videos", tools: ["video_generate"] },
	computer_use: { description: "Use the screen, mouse and keyboard", tools: ["computer_use"] },
	terminal: { description: "Run commands", tools: ["terminal", "process"] },
	moa: { description: "Ask several models and merge their answers", tools: ["mixture_of_agents"] },
	skills: { description: "Read and write skills", tools: skillTools },
	browser: { description: "Use a browser", tools: [...browserTools, ...laterBrowserTools, "web_search"] },
	cronjob: { description: "Schedule tasks", tools: ["cronjob"] },
	messaging: { description: "Send messages to chats", tools: ["send_message"] },
	file: { description: "Read, write, patch and search files", tools: fileTools },
	tts: { description: "Speak", tools: ["text_to_speech"] },
	todo: { description: "Keep a plan of the task", tools: ["todo"] },
	memory: { description: "Remember across sessions", tools: ["memory"] },
	context_engine: { description: "Tools of the context engine in use", tools: [] },
	session_search: { description: "Search earlier sessions", tools: ["session_search"] },
	clarify: { description: "Ask the user a question", tools: ["clarify"] },
	code_execution: { description: "Run scripts that call tools", tools: ["execute_code"] },
	delegation: { description: "Hand tasks to subagents", tools: ["delegate_task"] },
	homeassistant: { description: "Control a home", tools: homeTools },
	kanban: { description: "Work on a shared board", tools: kanbanTools },
	discord: { description: "Read and manage a Discord server", tools: ["discord"] },
	discord_admin: { description: "Moderate a Discord server", tools: ["discord_admin"] },
	yuanbao: { description: "Groups and stickers of Yuanbao", tools: yuanbaoTools },
	feishu_doc: { description: "Read Feishu documents", tools: ["feishu_doc_read"] },
	feishu_drive: { description: "Comments on Feishu files", tools: feishuDriveTools },
	spotify: {
		description: "Play music on Spotify",
		tools: ["playback", "devices", "queue", "search", "playlists", "albums", "library"].map(
			(name) => `spotify_${name}`,
		),
	},
};

const composed: Readonly<Record<string, ToolsetRow>> = {
	debugging: { description: "Find out what is wrong", tools: ["terminal", "process"], includes: ["web", "file"] },
	safe: { description: "Nothing that touches the machine", tools: [], includes: ["web", "vision", "image_gen"] },
	coding: { description: "Write software", tools: codingTools },
};

const extraTools: Readonly<Record<string, readonly string[]>> = {
	discord: ["discord", "discord_admin"],
	feishu: ["feishu_doc_read", ...feishuDriveTools],
	yuanbao: yuanbaoTools,
};

/** Platforms with people in chats; the gateway is all of them. */
const chatPlatforms = [
	...["telegram", "discord", "whatsapp", "slack", "signal", "bluebubbles", "homeassistant", "email", "sms"],
	...["mattermost", "matrix", "dingtalk", "feishu", "wecom", "wecom-callback", "weixin", "qqbot", "yuanbao"],
] as const;

const bundles: Readonly<Record<string, ToolsetRow>> = {
	...Object.fromEntries(
		["cli", "cron", ...chatPlatforms].map((platform) => [
			`hermes-${platform}`,
			{ description: `Everything on ${platform}`, tools: [...coreTools, ...(extraTools[platform] ?? [])] },
		]),
	),
	"hermes-acp": {
		description: "What an editor needs",
		tools: codingTools.filter((name) => name !== "clarify"),
	},
	"hermes-api-server": {
		description: "Everything that needs nobody to answer",
		tools: coreTools.filter((name) => !["clarify", "send_message", "text_to_speech"].includes(name)),
	},
	"hermes-webhook": {
		description: "Little, because strangers write what a webhook brings",
		tools: ["web_search", "web_extract", "vision_analyze", "clarify"],
	},
	"hermes-gateway": {
		description: "Every chat platform",
		tools: [],
		includes: [...chatPlatforms, "webhook"].map((platform) => `hermes-${platform}`),
	},
};

/** Name to set. What servers and plug-ins bring is never written in here. */
export const toolsetTable: ReadonlyMap<string, ToolsetRow> = new Map(
	Object.entries({ ...single, ...composed, ...bundles }),
);

/** Names that older configurations have. */
export const olderNames: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
	["web_tools", ["web_search", "web_extract"]],
	["terminal_tools", ["terminal"]],
	["vision_tools", ["vision_analyze"]],
	["moa_tools", ["mixture_of_agents"]],
	["image_tools", ["image_generate"]],
	["skills_tools", skillTools],
	["browser_tools", browserTools],
	["cronjob_tools", ["cronjob"]],
	["file_tools", fileTools],
	["tts_tools", ["text_to_speech"]],
]);
