/** How long the parts of closing a Modal sandbox may take. */

/** Saving its files, which Modal does in the cloud. */
export const saveLimitMs = 60_000;

/** Ending what runs and removing what is ours. */
export const tidyLimitMs = 5_000;

/** Ending the sandbox. */
export const terminateLimitMs = 15_000;

/** All of it. */
export const closeLimitSeconds = (saveLimitMs + tidyLimitMs + terminateLimitMs) / 1000;
