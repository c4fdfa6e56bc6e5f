/**
 * Something that happens at an instant of virtual time. Events are objects that are scheduled again and again, not
 * closures: a request on its way is one event from its first hop to its last, and a simulated second makes no garbage
 * but for the requests in it.
 */
export abstract class Event {
  /** For EventQueue: where it keeps the event; −1 while it is not scheduled. */
  slot = -1;

  get isScheduled(): boolean {
    return this.slot >= 0;
  }

  abstract happen(now: number): void;
}
