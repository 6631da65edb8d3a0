/** What the background review of a conversation is asked. */

/** The last message of the review; its answer is not shown to anybody. */
export const reviewPrompt = [
	"This is not from the user. Look back at the conversation so far and decide whether something in it belongs into your notes, with the memory tool.",
	"Worth a note: what the user told of themselves, how they want things done, corrections of your style or way of working, lasting facts of this machine or project.",
	"Not worth one: the progress of a task, what a file says already, and what failed for a passing reason, such as a missing program or a network that was down.",
	"Replace and merge notes instead of adding similar ones. No other tool works now. When nothing is worth a note, change nothing. End with the one word: done.",
].join("\n");
