/** How large one message of a client may be. */

/** Bytes: a file that is written whole fits, an endless line does not. */
export const longestMessage = 32 * 1024 * 1024;
