/** How long a timer can wait. */

/** Whole seconds, 24 days. A timer that is set to more is over at once, in Bun as in Node.js. */
export const longestTimerSeconds = Math.floor((2 ** 31 - 1) / 1_000);
