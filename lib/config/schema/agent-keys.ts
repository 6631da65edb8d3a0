/** Keys of the model, the agent's loop, and what it may do without asking. */

import { anything, boolean, choice, integer, list, map, number, text, texts } from "./key.ts";

const auxiliaryTasks = [
	"vision",
	"web_extract",
	"compression",
	"session_search",
	"skills_hub",
	"approval",
	"mcp",
	"title_generation",
	"curator",
] as const;

/** Which model answers. `model: NAME` alone is short for `model.default`. */
export const modelKeys = {
	"model.default": text("", "Model that answers", { used: true, environment: ["HERMES_INFERENCE_MODEL"] }),
	"model.provider": text("", "Provider of the model", { used: true, environment: ["HERMES_INFERENCE_PROVIDER"] }),
	"model.base_url": text("", "Address of an OpenAI-compatible endpoint", {
		used: true,
		environment: ["OPENAI_BASE_URL"],
	}),
	"model.api_key": text("", "Key of that endpoint", { used: true, secret: true }),
	"model.api_mode": text("", "Wire the endpoint speaks", { used: true }),
	"model.context_length": integer(0, "Tokens the model can hold; 0 is what is known of it", { min: 0, used: true }),
	"model.max_tokens": integer(0, "Longest answer in tokens; 0 leaves it to the provider", { min: 0, used: true }),
	"model.price.input": dollars("questions"),
	"model.price.output": dollars("answers"),
	"model.price.cache_read": dollars("questions that the provider's cache knows"),
	"model.price.cache_write": dollars("questions that are written into the provider's cache"),
	"model.refresh_catalog": boolean(true, "Fetch windows and prices of models from models.dev once a day", {
		used: true,
	}),
	fallback_providers: list("Models to try, in order, when the first one fails", { used: true }),
	fallback_model: anything("Older form of fallback_providers: one model or a list", { used: true }),
	providers: map("By provider: extra_body, fields of each request in the words of its service", { used: true }),
	provider_routing: map("OpenRouter: only, ignore, order, sort, require_parameters, data_collection", { used: true }),
	custom_providers: list("Named OpenAI-compatible endpoints of your own", { used: true }),
	credential_pool_strategies: map("How several keys of one provider take turns, by provider", { used: true }),
	smart_model_routing: map("Routing of easy requests to a cheaper model: not offered", {
		gone: "a conversation stays with its model; auxiliary.TASK.model and delegation.model name cheaper ones",
	}),
	"prompt_caching.cache_ttl": choice(["5m", "1h"], "How long a provider keeps a cached prompt", { used: true }),
	"context.engine": choice(["compressor"], "How a context that grew too long is shortened"),
	"auxiliary.*.provider": text("auto", "Provider of this side task", { used: true }),
	"auxiliary.*.model": text("", "Model of this side task; empty is the main model", { used: true }),
	"auxiliary.*.base_url": text("", "Endpoint of this side task", { used: true }),
	"auxiliary.*.api_key": text("", "Key of that endpoint", { secret: true, used: true }),
	"auxiliary.*.api_mode": text("", "Wire of that endpoint", { used: true }),
	"auxiliary.*.timeout": integer(30, "Seconds a request of this side task may take", { min: 1, used: true }),
	"auxiliary.*.context_length": integer(0, "Tokens the side task's model can hold; 0 is what is known of it", {
		min: 0,
		used: true,
	}),
	"auxiliary.*.extra_body": map("Fields of each request of this side task, in the words of its endpoint", {
		used: true,
	}),
	"auxiliary.*.*": anything("Further settings of this side task"),
} as const;

/** Side tasks of the original; others may be named too. */
export const knownAuxiliaryTasks: readonly string[] = auxiliaryTasks;

function dollars(of: string) {
	return number(0, `US dollars for a million tokens of ${of}; unset is what is known of the model`, {
		min: 0,
		used: true,
	});
}

function times(fallback: number, about: string) {
	return integer(fallback, about, { min: 1, used: true });
}

/** The loop and its limits. */
export const agentKeys = {
	toolsets: texts(["hermes-cli"], "Toolsets the model is given on the command line", { used: true }),
	"platform_toolsets.*": texts([], "Toolsets on this platform; !name takes away", { used: true }),
	"agent.max_turns": integer(90, "Model calls before a turn is ended", {
		used: true,
		min: 1,
		environment: ["HERMES_MAX_ITERATIONS"],
		aliases: ["max_turns"],
	}),
	"agent.gateway_timeout": integer(1800, "Seconds without activity before the gateway ends a turn", {
		min: 0,
		environment: ["HERMES_AGENT_TIMEOUT"],
	}),
	"agent.gateway_timeout_warning": integer(900, "Seconds without activity before the gateway warns", {
		min: 0,
		environment: ["HERMES_AGENT_TIMEOUT_WARNING"],
	}),
	"agent.gateway_notify_interval": integer(180, "Seconds between signs of life of a long turn", {
		min: 0,
		environment: ["HERMES_AGENT_NOTIFY_INTERVAL"],
	}),
	"agent.gateway_auto_continue_freshness": integer(3600, "Seconds after which an interrupted turn is not continued", {
		min: 0,
	}),
	"agent.restart_drain_timeout": integer(180, "Seconds running turns get when the gateway restarts", {
		min: 0,
		environment: ["HERMES_RESTART_DRAIN_TIMEOUT"],
	}),
	"agent.idle_timeout": integer(
		0,
		"Seconds in which nothing happens, in model or tools, before a turn is ended; 0 is never",
		{
			min: 0,
			used: true,
		},
	),
	"agent.api_max_retries": integer(3, "Tries of a model call that failed for a passing reason", { min: 0, used: true }),
	"agent.max_cost_usd": number(0, "US dollars a session may cost; 0 is no limit", { min: 0, used: true }),
	"agent.max_total_tokens": integer(0, "Tokens a session may use, cached ones included; 0 is no limit", {
		min: 0,
		used: true,
	}),
	"agent.clarify_timeout": integer(600, "Seconds a question to the user waits; 0 is for ever", { min: 0, used: true }),
	"agent.reasoning_effort": choice(
		["", "none", "minimal", "low", "medium", "high", "xhigh"],
		"How much the model thinks; empty leaves it to the model",
		{ used: true },
	),
	"agent.service_tier": choice(
		["", "normal", "fast", "priority"],
		"Faster answers for more money, of providers that offer them",
		{
			used: true,
		},
	),
	"agent.tool_use_enforcement": {
		...anything("Whether the prompt insists on tool use: auto, true, false or model names", { used: true }),
		fallback: "auto",
	},
	"agent.task_completion_guidance": boolean(true, "Whether the prompt says when a task is done", { used: true }),
	"agent.environment_probe": boolean(true, "Whether the prompt says which system, user and home commands run with", {
		used: true,
	}),
	"agent.environment_hint": text("", "What you want the prompt to say about the machine", {
		used: true,
		environment: ["HERMES_ENVIRONMENT_HINT"],
	}),
	"agent.image_input_mode": choice(
		["auto", "native", "text"],
		"How images reach the model: as it can see them, always as images, or by their names",
		{ used: true },
	),
	"agent.disabled_toolsets": texts([], "Toolsets never given to the model", { used: true }),
	"agent.personalities": map("Your own personalities: what the prompt says of each, by name", { used: true }),
	"agent.system_prompt": text("", "Text added to the system prompt", {
		used: true,
		environment: ["HERMES_EPHEMERAL_SYSTEM_PROMPT"],
	}),
	"agent.verbose": boolean(false, "More detail while working"),
	prefill_messages_file: text("", "JSON file of messages, role and content, that are sent before each conversation", {
		used: true,
		environment: ["HERMES_PREFILL_MESSAGES_FILE"],
		aliases: ["agent.prefill_messages_file"],
	}),
	"tool_loop_guardrails.warnings_enabled": boolean(true, "Tell a model that repeats itself", { used: true }),
	"tool_loop_guardrails.hard_stop_enabled": boolean(false, "End the turn of a model that repeats itself", {
		used: true,
	}),
	"tool_loop_guardrails.warn_after.exact_failure": times(2, "The same call fails: told after so many times"),
	"tool_loop_guardrails.warn_after.same_tool_failure": times(3, "Calls of one tool fail: told after so many"),
	"tool_loop_guardrails.warn_after.idempotent_no_progress": times(
		2,
		"The same is read again: told after so many times",
	),
	"tool_loop_guardrails.hard_stop_after.exact_failure": times(5, "The same call fails: ended after so many times"),
	"tool_loop_guardrails.hard_stop_after.same_tool_failure": times(8, "Calls of one tool fail: ended after so many"),
	"tool_loop_guardrails.hard_stop_after.idempotent_no_progress": times(
		5,
		"The same is read again: ended after so many times",
	),
	"compression.enabled": boolean(true, "Shorten a conversation that grows too long", { used: true }),
	"compression.threshold": number(0.5, "Part of the context that starts it", { min: 0, max: 1, used: true }),
	"compression.target_ratio": number(0.2, "Part of the context kept word for word", { min: 0, max: 1, used: true }),
	"compression.protect_last_n": integer(20, "Last messages that stay as they are", { min: 0, used: true }),
	"compression.protect_first_n": integer(3, "First messages that stay as they are", { min: 0, used: true }),
	"compression.abort_on_summary_failure": boolean(
		false,
		"Leave a conversation as it is when no model can sum it up; else a plain summary is made without one",
		{ used: true },
	),
	"compression.hygiene_hard_message_limit": integer(400, "Messages at which the gateway compresses anyway", { min: 1 }),
	"compression.*": anything("Further settings of compression"),
	"delegation.model": text("", "Model of subagents; empty is the main model", { used: true }),
	"delegation.provider": text("", "Provider of subagents; empty is that of the conversation", { used: true }),
	"delegation.base_url": text("", "Endpoint of subagents", { used: true }),
	"delegation.api_key": text("", "Key of that endpoint", { secret: true, used: true }),
	"delegation.api_mode": text("", "Wire of that endpoint", { used: true }),
	"delegation.reasoning_effort": choice(
		["", "none", "minimal", "low", "medium", "high", "xhigh"],
		"How much subagents think; empty is agent.reasoning_effort",
		{ used: true },
	),
	"delegation.max_iterations": integer(50, "Model calls of one subagent", { min: 1, used: true }),
	"delegation.max_concurrent_children": integer(3, "Subagents of one call at a time", {
		min: 1,
		used: true,
		environment: ["DELEGATION_MAX_CONCURRENT_CHILDREN"],
	}),
	"delegation.max_async_children": integer(3, "Delegations in the background at a time", {
		min: 1,
		used: true,
		environment: ["DELEGATION_MAX_ASYNC_CHILDREN"],
	}),
	"delegation.max_spawn_depth": integer(1, "How deep subagents may start subagents", { min: 1, used: true }),
	"delegation.orchestrator_enabled": boolean(true, "Whether a subagent may be an orchestrator", { used: true }),
	"delegation.child_timeout_seconds": integer(0, "Seconds a subagent may take, 30 at least; 0 is no limit", {
		used: true,
		environment: ["DELEGATION_CHILD_TIMEOUT_SECONDS"],
	}),
	"delegation.inherit_mcp_toolsets": boolean(true, "Subagents get the MCP tools without being given them by name", {
		used: true,
	}),
	"delegation.subagent_auto_approve": boolean(false, "Subagents need no consent", { used: true }),
	"delegation.shared_budget": boolean(true, "Subagents spend the model calls of their parent", { used: true }),
	"goals.max_turns": integer(20, "Turns a standing goal may take", { min: 1 }),
} as const;

/** Consent, and what is kept from the model or from others. */
export const securityKeys = {
	"approvals.mode": choice(["manual", "smart", "off"], "Who agrees to risky calls: you, a model, nobody", {
		used: true,
	}),
	"approvals.headless": choice(["deny", "approve"], "Risky calls where nobody can be asked", { used: true }),
	"approvals.timeout": integer(60, "Seconds a question for consent waits", { min: 1, used: true }),
	"approvals.gateway_timeout": integer(300, "The same in the gateway", { min: 1 }),
	"approvals.cron_mode": choice(["deny", "approve"], "What scheduled runs do instead of asking"),
	"approvals.mcp_reload_confirm": boolean(true, "Ask before MCP servers are reloaded"),
	"approvals.destructive_slash_confirm": boolean(true, "Ask before a slash command destroys something"),
	command_allowlist: texts([], "Kinds of danger that need no consent, as hermes approvals check names them", {
		used: true,
	}),
	"security.redact_secrets": boolean(true, "Mask secrets in what tools return", {
		used: true,
		environment: ["HERMES_REDACT_SECRETS"],
	}),
	"security.allowed_context": texts(
		[],
		"Paragraphs of AGENTS.md and its like that may stay though they look like an attack",
		{
			used: true,
		},
	),
	"security.tirith_enabled": boolean(true, "Scan commands with tirith when it is installed"),
	"security.tirith_path": text("tirith", "Program to call"),
	"security.tirith_timeout": integer(5, "Seconds a scan may take", { min: 1 }),
	"security.tirith_fail_open": boolean(true, "Run the command when the scan itself fails"),
	"security.website_blocklist.enabled": boolean(false, "Refuse the websites below", { used: true }),
	"security.website_blocklist.domains": texts([], "Domains that are refused, with their subdomains", {
		used: true,
	}),
	"security.website_blocklist.shared_files": texts([], "Files with further domains", { used: true }),
	"security.allow_private_urls": boolean(false, "Let tools reach private addresses", {
		used: true,
		environment: ["HERMES_ALLOW_PRIVATE_URLS"],
	}),
	"security.allow_lazy_installs": boolean(true, "Install optional programs when they are first needed"),
	"privacy.redact_pii": boolean(false, "Hide names and numbers of chat users from the model"),
} as const;
