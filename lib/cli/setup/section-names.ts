/** The parts of the wizard, in their order. */
export const sectionNames = ["model", "terminal", "tools"] as const;

/** One of them. */
export type SectionName = (typeof sectionNames)[number];
