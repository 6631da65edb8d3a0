/** Advice that goes with a process that was started in the background. */

const silent =
	"Nobody is told when this process ends. For work that ends, start it with notify_on_complete=true; for a server, check that it is ready with a request of your own. process(action=poll) shows how it stands.";

const poller =
	"Waiting for checks with a loop of your own goes wrong easily: output is held back by pipes, jq gives null for keys that are not there yet, and status is not conclusion. `gh pr checks --watch` or `gh run watch --exit-status` waits and ends with the right code.";

/** A loop around the words of `gh` that people take for the state of their checks. */
function isHomeMadePoller(command: string): boolean {
	if (command.includes("statusCheckRollup")) return true;
	return /\bgh\s+pr\s+(?:view|checks)\b/.test(command) && /\bjq\b/.test(command);
}

/** What to tell whoever started `command`; undefined when there is nothing. */
export function backgroundHint(command: string, isWatched: boolean): string | undefined {
	const hints = [...(isWatched ? [] : [silent]), ...(isHomeMadePoller(command) ? [poller] : [])];
	return hints.length === 0 ? undefined : hints.join(" ");
}

/** Commands that read what is piped to them to its end, which a terminal does not have. */
export function needsPipe(command: string): boolean {
	return /\bgh\s+auth\s+login\b/.test(command) && /--with-token\b/.test(command);
}
