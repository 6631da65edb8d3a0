/** How long the beginning and the end of a Modal sandbox may take. */

/** Starting it: a cold image may have to be built. Nothing that Modal asks patience for may take longer. */
export const createLimitMs = 300_000;

/** Saving its files, which Modal does in the cloud. */
export const saveLimitMs = 60_000;

/** Ending what runs and removing what is ours. */
export const tidyLimitMs = 5_000;

/** Ending the sandbox. */
export const terminateLimitMs = 15_000;

/** All of its end. */
export const closeLimitSeconds = (saveLimitMs + tidyLimitMs + terminateLimitMs) / 1000;
