/** Some time between these instants a core did nothing that it was asked to. */
export interface Stall {
  readonly fromMs: number;
  readonly toMs: number;
}
