/** Keys of what the user sees: display, speech, chat platforms, schedules, upkeep. */

import { anything, boolean, choice, integer, map, number, optionalInteger, text, texts } from "./key.ts";

/** How output looks and sounds. */
export const displayKeys = {
	"display.compact": boolean(false, "Fewer empty lines"),
	"display.personality": text("", "Personality that new sessions begin with", { used: true }),
	"display.skin": text("default", "Colours and signs of a chat at the terminal", { used: true }),
	"display.language": text("en", "Language of hermes's own messages"),
	"display.streaming": boolean(false, "Show answers while they are written"),
	"display.show_reasoning": boolean(false, "Show what the model thinks", { used: true }),
	"display.show_cost": boolean(false, "Show what a turn costs"),
	"display.inline_diffs": boolean(true, "Show changes of files as diffs", { used: true }),
	"display.bell_on_complete": boolean(false, "Ring when a turn ends", { used: true }),
	"display.statusbar": boolean(true, "Show the lowest line of a chat at the terminal", { used: true }),
	"display.resume_display": choice(["full", "minimal"], "What is shown of a resumed session", { used: true }),
	"display.busy_input_mode": choice(["interrupt", "queue", "steer"], "What typing does while the agent works", {
		used: true,
	}),
	"display.tool_progress": choice(["all", "new", "verbose", "off"], "Which tool calls are shown", { used: true }),
	"display.tool_progress_command": boolean(false, "Let chat users change it with /verbose"),
	"display.tool_preview_length": integer(0, "Characters shown of a call; 0 is no limit", { min: 0 }),
	"display.interim_assistant_messages": boolean(true, "Show what the model says between tool calls"),
	"display.background_process_notifications": choice(
		["all", "result", "error", "off"],
		"Which background jobs are reported",
		{ environment: ["HERMES_BACKGROUND_NOTIFICATIONS"] },
	),
	"display.interface": choice(["tui", "cli"], "A chat that draws on the terminal, or one that goes line by line", {
		used: true,
	}),
	"display.runtime_footer": {
		...anything("Line under each answer with model and cost: off, on or its parts"),
		fallback: "off",
	},
	"display.turn_completion_explainer": boolean(true, "Say why a turn ended early"),
	"display.platforms": {
		...map("The same settings for one chat platform, by platform"),
		fallback: { telegram: { streaming: true }, discord: { streaming: false } },
	},
	"display.*": anything("Further settings of the display"),
	paste_collapse: integer(5, "Lines of a paste that is shown as a reference", { min: 0 }),
	"tts.provider": text("edge", "Service that speaks"),
	"tts.*": anything("Settings of one speech service"),
	"stt.enabled": boolean(true, "Turn voice messages into text"),
	"stt.provider": text("local", "Service that listens"),
	"stt.local.model": text("base", "Model of local recognition"),
	"stt.*": anything("Settings of one recognition service"),
	"voice.record_key": text("ctrl+b", "Key that starts a recording"),
	"voice.max_recording_seconds": integer(120, "Longest recording", { min: 1 }),
	"voice.silence_threshold": integer(200, "Loudness below which it is silent", { min: 0 }),
	"voice.silence_duration": number(3, "Seconds of silence that end a recording", { min: 0 }),
	"voice.auto_tts": boolean(false, "Speak every answer"),
	"voice.*": anything("Further settings of voice"),
} as const;

/** Chat platforms and how the gateway treats them. */
export const gatewayKeys = {
	"gateway.strict": boolean(false, "Refuse to start when one platform is set up wrongly"),
	"gateway.media_delivery_allow_dirs": texts([], "Folders whose files may be sent"),
	"gateway.trust_recent_files": boolean(true, "Files the agent just made may be sent"),
	"gateway.trust_recent_files_seconds": integer(600, "How long a file counts as just made", { min: 0 }),
	"gateway.*": anything("Further settings of the gateway"),
	"session_reset.mode": choice(["both", "idle", "daily", "none"], "When a chat starts anew"),
	"session_reset.idle_minutes": integer(1440, "Idle minutes after which it does", {
		min: 1,
		environment: ["SESSION_IDLE_MINUTES"],
	}),
	"session_reset.at_hour": integer(4, "Hour of the day at which it does", {
		min: 0,
		max: 23,
		environment: ["SESSION_RESET_HOUR"],
	}),
	"session_reset.*": anything("Further settings of the reset"),
	reset_by_platform: map("Reset rules by platform"),
	reset_by_type: map("Reset rules by kind of chat"),
	group_sessions_per_user: boolean(true, "Each user of a group has an own session"),
	thread_sessions_per_user: boolean(false, "The same in threads"),
	unauthorized_dm_behavior: choice(["pair", "ignore"], "What strangers get"),
	always_log_local: boolean(true, "Keep a local copy of delivered messages"),
	max_concurrent_sessions: optionalInteger("Chats answered at a time; null is no limit", { min: 1 }),
	"streaming.enabled": boolean(false, "Show answers in chats while they are written"),
	"streaming.transport": choice(["auto", "edit", "draft", "off"], "How"),
	"streaming.edit_interval": number(0.8, "Seconds between two edits", { min: 0 }),
	"streaming.buffer_threshold": integer(24, "Characters that cause an edit", { min: 1 }),
	"streaming.cursor": text(" ▉", "Mark at the end of an unfinished answer"),
	"streaming.*": anything("Further settings of streaming"),
	"human_delay.mode": choice(["off", "natural", "custom"], "Pause between messages as a person would"),
	"human_delay.min_ms": integer(800, "Shortest pause", { min: 0 }),
	"human_delay.max_ms": integer(2500, "Longest pause", { min: 0 }),
	platforms: map("Chat platforms by name"),
	"slack.require_mention": boolean(true, "Answer in channels only when mentioned", {
		environment: ["SLACK_REQUIRE_MENTION"],
	}),
	"slack.*": anything("Further settings of Slack"),
	"discord.require_mention": boolean(true, "Answer in channels only when mentioned", {
		environment: ["DISCORD_REQUIRE_MENTION"],
	}),
	"discord.*": anything("Further settings of Discord"),
	"mattermost.require_mention": boolean(true, "Answer in channels only when mentioned", {
		environment: ["MATTERMOST_REQUIRE_MENTION"],
	}),
	"mattermost.*": anything("Further settings of Mattermost"),
	"matrix.require_mention": boolean(true, "Answer in rooms only when mentioned", {
		environment: ["MATRIX_REQUIRE_MENTION"],
	}),
	"matrix.*": anything("Further settings of Matrix"),
	"telegram.*": anything("Settings of Telegram"),
	"whatsapp.*": anything("Settings of WhatsApp"),
	"signal.*": anything("Settings of Signal"),
	quick_commands: map("Your own slash commands: {type: exec, command} or {type: alias, target}"),
	hooks: map("Programs run at events, by event"),
	hooks_auto_accept: boolean(false, "Run hooks without asking once", { environment: ["HERMES_ACCEPT_HOOKS"] }),
	"plugins.enabled": texts([], "Plug-ins that are on", { used: true }),
	"plugins.*": anything("Settings of plug-ins"),
} as const;

/** Schedules, sessions, logs and the program itself. */
export const upkeepKeys = {
	_config_version: integer(29, "Version of this file's layout", { used: true, min: 0 }),
	timezone: text("", "Time zone, such as Europe/Berlin; empty is the system's", { environment: ["HERMES_TIMEZONE"] }),
	"network.force_ipv4": boolean(false, "Never use IPv6"),
	"cron.wrap_response": boolean(true, "Put a heading around what a schedule delivers"),
	"cron.max_parallel_jobs": optionalInteger("Schedules run at a time; null is no limit", {
		min: 1,
		environment: ["HERMES_CRON_MAX_PARALLEL"],
	}),
	"cron.script_timeout_seconds": integer(120, "Seconds the script of a schedule may take", {
		min: 1,
		environment: ["HERMES_CRON_SCRIPT_TIMEOUT"],
	}),
	"logging.level": choice(["INFO", "DEBUG", "WARNING", "ERROR", "CRITICAL"], "Least level in agent.log", {
		used: true,
	}),
	"logging.max_size_mb": number(5, "Megabytes of agent.log before it is rotated", { used: true, min: 0.001 }),
	"logging.backup_count": integer(3, "Rotated files kept of it", { used: true, min: 0, max: 100 }),
	"audit.enabled": boolean(false, "Write who ran what where to logs/audit.jsonl", { used: true }),
	"sessions.auto_prune": boolean(false, "Remove old sessions by itself, at most once a day", { used: true }),
	"sessions.retention_days": integer(90, "Days a session is kept after it ended", { used: true, min: 1 }),
	"sessions.write_json_snapshots": boolean(false, "Write each session as JSON too: not offered", {
		gone: "hermes sessions export writes sessions as JSON lines",
	}),
	"sessions.*": anything("Further settings of sessions"),
	"updates.*": anything("Settings of updates"),
	"onboarding.*": anything("What the first run has shown already"),
	"kanban.*": anything("Settings of the original's board"),
	"dashboard.*": anything("Settings of the original's dashboard"),
} as const;
