/** Keys of the places where commands run, and of the tools that use them. */

import { anything, boolean, choice, integer, type KeyFacts, map, number, text, texts } from "./key.ts";

const image = "nikolaik/python-nodejs:python3.11-nodejs20";

/** The variable that sets a `terminal.` key. */
function bridged(variable: string, facts: KeyFacts = {}): KeyFacts {
	return { environment: [variable], ...facts };
}

/** A key that one backend alone reads. */
function backendOnly(variable: string): KeyFacts {
	return bridged(variable, { lazy: true });
}

/** Where commands run. */
export const terminalKeys = {
	"terminal.backend": text(
		"local",
		"Where commands run: local, docker, ssh, singularity, modal, daytona",
		bridged("TERMINAL_ENV", { used: true }),
	),
	"terminal.cwd": text(".", "Folder commands start in", bridged("TERMINAL_CWD", { used: true })),
	"terminal.timeout": integer(180, "Seconds before a command is stopped", {
		...bridged("TERMINAL_TIMEOUT", { used: true }),
		min: 1,
	}),
	"terminal.max_foreground_timeout": integer(600, "Longest timeout a model may ask for", {
		...bridged("TERMINAL_MAX_FOREGROUND_TIMEOUT", { used: true }),
		min: 1,
	}),
	"terminal.lifetime_seconds": integer(300, "Seconds an unused sandbox is kept", {
		...bridged("TERMINAL_LIFETIME_SECONDS", { used: true }),
		min: 0,
	}),
	"terminal.pin": boolean(
		false,
		"Nothing of a session may run on another backend",
		bridged("TERMINAL_PIN", { used: true }),
	),
	"terminal.relay": choice(
		["auto", "off"],
		"A helper inside sandboxes that makes commands faster; auto uses it wherever there is a python3",
		bridged("TERMINAL_RELAY", { used: true }),
	),
	"terminal.persistent_shell": boolean(true, "Accepted for the original's sake: a session always keeps its state"),
	"terminal.home_mode": choice(["auto", "real", "profile"], "Which HOME commands see", bridged("TERMINAL_HOME_MODE")),
	"terminal.env_mode": choice(
		["blocklist", "patterns", "allowlist"],
		"Which variables of yours commands see: all but known secrets, none that looks like a secret, or only what programs need",
		{ used: true },
	),
	"terminal.env_passthrough": texts([], "Variables commands and scripts may see although they look like secrets", {
		used: true,
	}),
	"terminal.shell_init_files": texts([], "Files sourced when a session starts"),
	"terminal.auto_source_bashrc": boolean(true, "Source ~/.bashrc when a session starts"),
	"terminal.credential_files": texts([], "Files of HERMES_HOME copied into sandboxes for the tools there", {
		used: true,
	}),
	"terminal.sync_back": boolean(true, "Bring files of the cache back when a sandbox closes", { used: true }),
	"terminal.sync_back_skills": boolean(false, "Bring changed skills back too", { used: true }),
	"terminal.sandbox_dir": text("", "Folder for the files of sandboxes", bridged("TERMINAL_SANDBOX_DIR")),
	"terminal.sudo_password": text("", "Password given to sudo", {
		environment: ["SUDO_PASSWORD"],
		secret: true,
		used: true,
	}),
	"terminal.container_cpu": number(1, "Processors of a container", {
		...backendOnly("TERMINAL_CONTAINER_CPU"),
		min: 0,
	}),
	"terminal.container_memory": integer(5120, "Megabytes of memory of a container", {
		...backendOnly("TERMINAL_CONTAINER_MEMORY"),
		min: 0,
	}),
	"terminal.container_disk": integer(51200, "Megabytes of disk of a container", {
		...backendOnly("TERMINAL_CONTAINER_DISK"),
		min: 0,
	}),
	"terminal.container_persistent": boolean(
		true,
		"Keep the files of a container",
		backendOnly("TERMINAL_CONTAINER_PERSISTENT"),
	),
	"terminal.docker_image": text(image, "Image of docker containers", backendOnly("TERMINAL_DOCKER_IMAGE")),
	"terminal.docker_forward_env": texts([], "Variables given to containers", backendOnly("TERMINAL_DOCKER_FORWARD_ENV")),
	"terminal.docker_volumes": texts([], "Volumes of containers, host:container", backendOnly("TERMINAL_DOCKER_VOLUMES")),
	"terminal.docker_env": map("Variables set in containers", backendOnly("TERMINAL_DOCKER_ENV")),
	"terminal.docker_extra_args": texts([], "Further arguments of docker run", backendOnly("TERMINAL_DOCKER_EXTRA_ARGS")),
	"terminal.docker_mount_cwd_to_workspace": boolean(
		false,
		"Mount the current folder at /workspace",
		backendOnly("TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE"),
	),
	"terminal.docker_run_as_host_user": boolean(
		false,
		"Run containers with your user id",
		backendOnly("TERMINAL_DOCKER_RUN_AS_HOST_USER"),
	),
	"terminal.docker_persist_across_processes": boolean(
		true,
		"Keep containers when hermes ends",
		backendOnly("TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES"),
	),
	"terminal.docker_orphan_reaper": boolean(
		true,
		"Remove containers left behind",
		backendOnly("TERMINAL_DOCKER_ORPHAN_REAPER"),
	),
	"terminal.singularity_image": text(
		`docker://${image}`,
		"Image of singularity instances",
		backendOnly("TERMINAL_SINGULARITY_IMAGE"),
	),
	"terminal.modal_image": text(image, "Image of Modal sandboxes", backendOnly("TERMINAL_MODAL_IMAGE")),
	"terminal.modal_mode": choice(
		["auto", "direct", "managed"],
		"Own Modal account or managed",
		backendOnly("TERMINAL_MODAL_MODE"),
	),
	"terminal.daytona_image": text(image, "Image of Daytona sandboxes", backendOnly("TERMINAL_DAYTONA_IMAGE")),
	"terminal.ssh_host": text("", "Host to log in to", backendOnly("TERMINAL_SSH_HOST")),
	"terminal.ssh_user": text("", "User on that host", backendOnly("TERMINAL_SSH_USER")),
	"terminal.ssh_port": integer(22, "Port of that host", { ...backendOnly("TERMINAL_SSH_PORT"), min: 1, max: 65535 }),
	"terminal.ssh_key": text("", "Private key file", backendOnly("TERMINAL_SSH_KEY")),
} as const;

/** Tools and what they may use. */
export const toolKeys = {
	file_read_max_chars: integer(100_000, "Characters one read_file may return", { used: true, min: 1 }),
	context_file_max_chars: integer(20_000, "Characters of a context file such as AGENTS.md", { used: true, min: 1 }),
	"tool_output.max_bytes": integer(50_000, "Bytes of output a tool may return", { used: true, min: 1 }),
	"tool_output.max_lines": integer(2_000, "Lines of output a tool may return", { used: true, min: 1 }),
	"tool_output.max_line_length": integer(2_000, "Characters of one line of output", { used: true, min: 1 }),
	"tools.tool_search.enabled": choice(
		["auto", "true", "false"],
		"Let the model search for tools instead of seeing all",
		{ used: true },
	),
	"tools.tool_search.threshold_pct": integer(10, "Percent of the context tools may fill before search starts", {
		used: true,
		min: 0,
		max: 100,
	}),
	"tools.tool_search.search_default_limit": integer(5, "Tools one search finds", { used: true, min: 1 }),
	"tools.tool_search.max_search_limit": integer(20, "Tools one search may find at most", { used: true, min: 1 }),
	"code_execution.mode": choice(["project", "strict"], "Where execute_code runs its scripts", { used: true }),
	"code_execution.timeout": integer(300, "Seconds a script may take", { used: true, min: 1 }),
	"code_execution.max_tool_calls": integer(50, "Tool calls of one script", { used: true, min: 1 }),
	"code_execution.mcp_tools": boolean(false, "Let scripts call tools of MCP servers", { used: true }),
	"checkpoints.enabled": boolean(true, "Keep snapshots of files before they change", { used: true }),
	"checkpoints.max_snapshots": integer(20, "Snapshots kept per folder", { used: true, min: 1 }),
	"checkpoints.max_total_size_mb": integer(500, "Megabytes of all snapshots", { used: true, min: 1 }),
	"checkpoints.max_file_size_mb": integer(10, "Megabytes of a file that is still kept", { used: true, min: 1 }),
	"checkpoints.retention_days": integer(7, "Days a snapshot is kept; 0 is for ever", { used: true, min: 0 }),
	"checkpoints.auto_prune": boolean(true, "Remove old snapshots by itself", { used: true }),
	"checkpoints.delete_orphans": boolean(true, "Remove snapshots of folders that are gone before their time", {
		used: true,
	}),
	"browser.inactivity_timeout": integer(120, "Seconds an unused browser is kept", { min: 1 }),
	"browser.command_timeout": integer(30, "Seconds one browser action may take", { min: 1 }),
	"browser.record_sessions": boolean(false, "Record what the browser shows"),
	"browser.allow_private_urls": boolean(false, "The same as security.allow_private_urls, when that is not set", {
		used: true,
	}),
	"browser.cdp_url": text("", "Browser to attach to", { environment: ["BROWSER_CDP_URL"] }),
	"browser.*": anything("Further settings of the browser"),
	"web.backend": text("", "Service for web search and reading: tavily, exa, parallel, firecrawl, searxng, brave", {
		used: true,
	}),
	"web.search_backend": text("", "Service for web search alone", { used: true }),
	"web.extract_backend": text("", "Service for reading pages alone; fetch is none", { used: true }),
	"image_gen.*": anything("Settings of image generation"),
	"lsp.*": anything("Settings of language servers"),
	mcp_servers: map("MCP servers by name", { used: true }),
	"mcp.startup_seconds": number(5, "Seconds a start waits for MCP servers; slower ones add their tools later", {
		min: 0,
		used: true,
	}),
	"memory.memory_enabled": boolean(true, "Keep notes over sessions", { used: true }),
	"memory.user_profile_enabled": boolean(true, "Keep a profile of the user", { used: true }),
	"memory.memory_char_limit": integer(2200, "Characters of the notes", { min: 0, used: true }),
	"memory.user_char_limit": integer(1375, "Characters of the profile", { min: 0, used: true }),
	"memory.write_approval": boolean(false, "Ask before notes are written", { used: true }),
	"memory.provider": text("", "Memory service besides the built-in notes"),
	"memory.nudge_interval": integer(10, "Questions after which notes are reviewed; 0 is never", { min: 0, used: true }),
	"memory.flush_min_turns": integer(6, "Turns a session needs before its end is noted", { min: 0 }),
	"memory.*": anything("Settings of a memory service"),
	"skills.external_dirs": texts([], "Further folders with skills", { used: true }),
	"skills.creation_nudge_interval": integer(10, "Tool calls between reminders to make a skill", { min: 0 }),
	"skills.disabled": texts([], "Skills that are off"),
	"skills.platform_disabled": map("Skills that are off, by platform"),
	"skills.write_approval": boolean(false, "Ask before skills are written", { used: true }),
	"skills.guard_agent_created": boolean(false, "Scan skills the agent made"),
	"skills.template_vars": boolean(true, "Fill in variables of skills"),
	"skills.inline_shell": boolean(false, "Run commands inside skills"),
	"skills.inline_shell_timeout": integer(10, "Seconds such a command may take", { min: 1 }),
	"skills.config": map("Settings of skills, by skill"),
	"curator.enabled": boolean(true, "Look after skills in the background"),
	"curator.interval_hours": integer(168, "Hours between two rounds", { min: 1 }),
	"curator.*": anything("Further settings of the curator"),
} as const;
