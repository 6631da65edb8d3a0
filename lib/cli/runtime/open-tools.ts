/** The tools of one run: every tool module and enabled plug-in, wired to the shell and to whoever approves calls. */

import { loadPlugins } from "../../base/plugins.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { PooledShell } from "../../environments/pool/task-shell.ts";
import { FileState } from "../../files/file-state.ts";
import { type Logger, silentLogger } from "../../log/logger.ts";
import type { ServerStatus } from "../../mcp/open-server.ts";
import { type OpenPlugins, openPlugins } from "../../plugins/open-plugins.ts";
import type { ProcessTable } from "../../processes/table.ts";
import type { AgentState } from "../../registry/agent-state.ts";
import { decodeArguments } from "../../registry/arguments/parse-arguments.ts";
import { type Assembler, createAssembler } from "../../registry/definitions.ts";
import { type Dispatched, type DispatchOptions, dispatch } from "../../registry/dispatch.ts";
import { createHooks, type Hooks } from "../../registry/hooks.ts";
import { createRegistry, type Registry } from "../../registry/registry.ts";
import type { ResultBudget } from "../../registry/results/result-budget.ts";
import type { ScriptSession, ToolContext } from "../../registry/tool.ts";
import type { Approve } from "../../security/approval.ts";
import { createRedactor, type Redactor, withPasswords } from "../../security/redact.ts";
import { createStreamRedactor } from "../../security/stream-redactor.ts";
import { withSudoGuard } from "../../security/sudo-guard.ts";
import type { Cli } from "../subcommand.ts";
import { type AuditedRun, runAudited } from "./audited-calls.ts";
import { openCheckpoints, type RunCheckpoints } from "./edit-guard.ts";
import type { ServerPeople } from "./mcp-features.ts";
import { declareServers, openRunServers } from "./mcp-servers.ts";
import { sudoPassword } from "./sudo-password.ts";
import type { ToolList } from "./tool-list.ts";

/** Everything that can be called, and who watches. Disposing it ends the processes of plug-ins. */
export interface Toolbox extends AsyncDisposable {
	readonly registry: Registry;
	readonly assembler: Assembler;
	readonly hooks: Hooks;
	readonly log: Logger;
	/** Shared by all sessions of the process. */
	readonly fileState: FileState;
	/** Missing where checkpoints are off. */
	readonly checkpoints?: RunCheckpoints | undefined;
	/** What scripts found out about sandboxes. */
	readonly remembered: ScriptSession["remembered"];
	/** Masks secrets in what tools return; missing where the settings said so when the run began. */
	readonly redact: Redactor | undefined;
	/** As they were read last. */
	settings(): LoadedConfig;
	/** How the configured MCP servers are now. */
	servers(): readonly ServerStatus[];
	/** Takes in settings that were read anew: every tool is asked again whether it can be used, MCP servers come and go. */
	useSettings(config: LoadedConfig): Promise<void>;
}

/** The session that calls belong to. */
export interface ToolSession {
	readonly toolbox: Toolbox;
	readonly shell: PooledShell;
	readonly approve: Approve;
	readonly sessionId: string;
	readonly taskId: string;
	/** Where background processes are looked after. */
	readonly processes?: ProcessTable | undefined;
	/** What may be called; everything when left out. */
	readonly list?: ToolList;
	/** Saves long results; without it they are cut. */
	readonly budget?: ResultBudget;
	/** Where every call is written down, when the settings want that. */
	readonly audited?: AuditedRun | undefined;
	/** What tools of the conversation itself work on; without it they are refused. */
	readonly agent?: AgentState | undefined;
}

/** What one call is given besides its name and arguments. */
export interface CallOptions {
	readonly signal: AbortSignal;
	onOutput?(text: string): void;
	/** The turn, and the message of the model in it, that the call belongs to. */
	readonly turnId?: string;
	readonly step?: number;
	/** A script of the model asks. */
	readonly isScript?: boolean;
}

/** A call as a model or a script writes it. */
export interface Call {
	readonly id?: string;
	readonly name: string;
	readonly arguments: string | Readonly<Record<string, unknown>>;
}

/** What a toolbox is opened with. */
export interface ToolboxOptions {
	readonly log?: Logger;
	/** Whether the configured MCP servers are started; they are when left out. */
	readonly servers?: boolean;
	/** Whom servers may ask; nobody when left out. */
	readonly people?: ServerPeople;
}

/** Loads every tool; a module or plug-in that cannot be used is one warning and stops no other. */
export async function openToolbox(cli: Cli, config: LoadedConfig, options: ToolboxOptions = {}): Promise<Toolbox> {
	const { log = silentLogger, servers: startsServers = true, people } = options;
	const { loaded, failures } = await loadPlugins(cli.plugins.tools);
	let current = config;
	const settings = () => current;
	// Whether is settled now, so that nothing a model does to the settings shows it secrets; which ones is looked up.
	const redactor = config.get("security.redact_secrets") ? redactorOf(settings) : undefined;
	const registry = createRegistry(loaded, failures, { log: log.named("tools"), settings });
	for (const { name, reason } of registry.failures) cli.stderr.write(`hermes: Cannot load tool "${name}": ${reason}\n`);
	declareServers(registry, config.get("mcp_servers"));
	const hooks = createHooks(log.named("hooks"));
	const plugins = await openEnabledPlugins(cli, config, { registry, hooks, log });
	const servers = startsServers ? await openRunServers(cli, config, { registry, log, people }) : undefined;
	return {
		registry,
		assembler: createAssembler(registry),
		hooks,
		log,
		fileState: new FileState({ guard: config.variables.HERMES_DISABLE_FILE_STATE_GUARD !== "1" }),
		checkpoints: openCheckpoints(cli, config, log),
		remembered: new WeakMap(),
		redact: redactor,
		settings,
		servers: () => servers?.statuses() ?? [],
		async useSettings(changed) {
			if (changed === current) return;
			current = changed;
			registry.availability.invalidate();
			await servers?.follow(changed);
		},
		async [Symbol.asyncDispose]() {
			await Promise.all([plugins[Symbol.asyncDispose](), servers?.[Symbol.asyncDispose]()]);
		},
	};
}

/** Made anew when the settings were read anew: a key that was added is a secret from then on. */
function redactorOf(settings: () => LoadedConfig): Redactor {
	let known: LoadedConfig | undefined;
	let redact = createRedactor();
	return (text, options) => {
		const current = settings();
		if (current !== known) redact = createRedactor(current.secrets);
		known = current;
		return redact(text, options);
	};
}

async function openEnabledPlugins(
	cli: Cli,
	config: LoadedConfig,
	parts: Pick<Toolbox, "registry" | "hooks" | "log">,
): Promise<OpenPlugins> {
	const { variables } = config;
	const plugins = await openPlugins({
		home: cli.environment.hermesHome,
		enabled: config.get("plugins.enabled"),
		variables,
		...parts,
	});
	for (const problem of plugins.problems) cli.stderr.write(`hermes: ${problem}\n`);
	return plugins;
}

/** Runs one call in `session`. Never throws: failures are answers. */
export function callTool(session: ToolSession, call: Call, options: CallOptions): Promise<Dispatched> {
	const { audited, sessionId } = session;
	if (audited === undefined) return dispatchIn(session, call, options);
	const watched = { sessionId, tool: call.name, about: aboutOf(call) };
	return runAudited(audited, { call: watched, parts: session }, ({ beforeRun, ...parts }) =>
		dispatchIn({ ...session, ...parts }, call, { ...options, beforeRun }),
	);
}

/** What the arguments say of themselves, for a call that needs no consent. */
function aboutOf({ name, arguments: sent }: Call): { readonly command?: string; readonly path?: string } {
	const decoded = decodeArguments(name, sent);
	const { command, path } = decoded.ok ? decoded.args : {};
	return { ...(typeof command === "string" && { command }), ...(typeof path === "string" && { path }) };
}

function dispatchIn(
	session: ToolSession,
	call: Call,
	options: CallOptions & Pick<DispatchOptions, "beforeRun">,
): Promise<Dispatched> {
	const { toolbox, approve, list, budget } = session;
	const redact = redactorIn(session);
	const shown = shownOutput(redact, options);
	const context = toolContext(session, call, { ...options, ...shown });
	const dispatched = dispatch({
		isProgram: options.isScript,
		registry: toolbox.registry,
		hooks: toolbox.hooks,
		log: toolbox.log,
		call,
		context,
		approve: withSudoGuard(approve, () => sudoPassword(toolbox.settings()) !== undefined),
		allowed: list?.assembly.names,
		catalogue: list?.catalogue(),
		budget,
		async beforeRun(tool, args) {
			await options.beforeRun?.(tool, args);
			toolbox.fileState.pages.beforeCall(session.sessionId, tool);
			await toolbox.checkpoints?.keepBefore(tool, args, context);
		},
		...(options.step !== undefined && { step: `${options.turnId}:${options.step}` }),
	});
	return dispatched.finally(() => shown.end?.());
}

/** With the passwords that the user typed in this session, and no other. */
function redactorIn({ toolbox, shell }: ToolSession): Redactor | undefined {
	const { typedSecrets } = shell;
	return toolbox.redact && typedSecrets ? withPasswords(toolbox.redact, typedSecrets) : toolbox.redact;
}

/** What is shown while a call runs goes to screens, logs and other programs, and is masked like the answer. */
function shownOutput(
	redact: Redactor | undefined,
	{ onOutput }: CallOptions,
): Pick<CallOptions, "onOutput"> & { end?(): void } {
	if (redact === undefined || onOutput === undefined) return {};
	const stream = createStreamRedactor(redact, { keepUrls: true });
	const show = (text: string) => {
		if (text !== "") onOutput(text);
	};
	return { onOutput: (text) => show(stream.push(text)), end: () => show(stream.end()) };
}

function toolContext(session: ToolSession, { id }: Call, options: CallOptions): ToolContext {
	const { shell, sessionId, taskId, list, toolbox, budget, agent, processes } = session;
	const { signal, onOutput, turnId, step, isScript } = options;
	const execute: ToolContext["execute"] = (command, options) =>
		shell.execute(command, { signal, ...(onOutput && { onOutput }), ...options });
	return {
		sessionId,
		taskId,
		signal,
		fileState: toolbox.fileState,
		settings: toolbox.settings(),
		redact: redactorIn(session),
		processes: processes?.desk(taskId, sessionId),
		...(budget && { saveText: (name, text) => budget.saveText({ execute }, name, text) }),
		...(id !== undefined && { callId: id }),
		...(turnId !== undefined && { turnId, requestId: `${turnId}:${step ?? 0}` }),
		...(list !== undefined && { enabledTools: list.assembly.names }),
		...(agent !== undefined && { agent }),
		...(isScript && { isScript }),
		scripts: scriptSession(session, options),
		execute,
		readDirectly: (path) => shell.readDirectly(path, signal),
		get cwd() {
			return shell.cwd;
		},
		get ranOn() {
			return shell.ranOn;
		},
	};
}

/** Scripts call as the model does, with its turn's hooks, consent and folder; only that their answers are not cut. */
function scriptSession(session: ToolSession, { onOutput, ...options }: CallOptions): ScriptSession {
	const { shell, list, toolbox, approve, sessionId, taskId, audited, processes } = session;
	const { registry } = toolbox;
	const inner: ToolSession = { shell, toolbox, approve, sessionId, taskId, audited, processes, ...(list && { list }) };
	return {
		async tools() {
			const enabled = registry.list().filter(({ name }) => list === undefined || list.assembly.names.has(name));
			const verdicts = await Promise.all(enabled.map((tool) => registry.availability.check(tool)));
			return enabled.filter((_tool, index) => verdicts[index] === true);
		},
		parameters: (tool) => registry.parameters(tool),
		async call(call, signal) {
			return (await callTool(inner, call, { ...options, signal, isScript: true })).answer;
		},
		inSandbox: (signal, use) => shell.use(signal, use),
		...(onOutput && { show: onOutput }),
		remembered: toolbox.remembered,
	};
}
