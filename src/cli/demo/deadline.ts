/** So long people wait for a page, and clients for an answer. What comes later is work done for nobody. */
export const DEADLINE_MS = 1_000;
