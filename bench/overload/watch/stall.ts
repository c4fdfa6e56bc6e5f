/** Until this instant a core was somebody else's, for so long: what was to be done there waited. */
export interface Stall {
  readonly untilMs: number;
  readonly lostMs: number;
}
