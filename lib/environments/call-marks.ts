/** The two variables that mark every process of one call, so that those which left its process group can be found. */

/** Names one run of this program. */
export const runMark = "HERMES_RUN";

/** Numbers the calls of a run. */
export const callMark = "HERMES_CALL";
