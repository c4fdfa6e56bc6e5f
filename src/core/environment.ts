/**
 * The one seam between decisions and the world. Whoever drives the core (server, client, gateway, simulator)
 * holds an Environment, reads it once per event, and hands `now` in with the event.
 */
export interface Environment {
  /** Milliseconds that never go back; the origin means nothing. The `now` of every decision. */
  monotonicMs(): number;
  /** Milliseconds since the epoch, for people and for the wire; never for measuring a duration. */
  wallMs(): number;
  /** Uniform in [0, 1). */
  random(): number;
}

/** The part of an Environment that a decision may keep: chance. Time always comes with the event. */
export type Random = () => number;
