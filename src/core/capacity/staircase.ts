interface Step {
  readonly capacity: number;
  readonly untilMs: number;
}

/**
 * How much may be used as time goes on: so much until an instant, less until a later one, in the end nothing. Both what a
 * client may hold and what a server may hand out are of this kind, and a server is safe if at each instant the stairs of
 * its clients together are not above its own.
 */
export class Staircase {
  /** Ever later, and ever less. */
  #steps: Step[] = [];

  at(ms: number): number {
    return this.#steps.find(({ untilMs }) => ms < untilMs)?.capacity ?? 0;
  }

  /** From now on, when does another step begin, before `untilMs`? Between those instants nothing changes. */
  beginnings(now: number, untilMs: number): number[] {
    const later = this.#steps.map((step) => step.untilMs).filter((ms) => now < ms && ms < untilMs);
    return [now, ...later];
  }

  /** At least so much until then. */
  raise(capacity: number, untilMs: number): void {
    if (this.#steps.some((step) => step.capacity >= capacity && step.untilMs >= untilMs)) return;
    const kept = this.#steps.filter((step) => step.capacity > capacity || step.untilMs > untilMs);
    kept.push({ capacity, untilMs });
    this.#steps = kept.sort((a, b) => a.untilMs - b.untilMs);
  }

  raiseTo(other: Staircase): void {
    for (const { capacity, untilMs } of other.#steps) this.raise(capacity, untilMs);
  }

  /** Never more than so much. */
  cap(most: number): void {
    this.#rebuild(({ capacity, untilMs }) => ({ capacity: Math.min(capacity, most), untilMs }));
  }

  /** Nothing from then on. */
  endBy(ms: number): void {
    this.#rebuild(({ capacity, untilMs }) => ({ capacity, untilMs: Math.min(untilMs, ms) }));
  }

  /** What is over takes no room. */
  forget(now: number): void {
    while (this.#steps.length > 0 && this.#steps[0]!.untilMs <= now) this.#steps.shift();
  }

  /** At most so many steps, by going down later than it does. */
  blur(most: number): void {
    while (this.#steps.length > most) {
      const [highest, next] = this.#steps;
      this.#steps.splice(0, 2, { capacity: highest!.capacity, untilMs: next!.untilMs });
    }
  }

  #rebuild(change: (step: Step) => Step): void {
    const steps = this.#steps;
    this.#steps = [];
    for (const step of steps) {
      const { capacity, untilMs } = change(step);
      this.raise(capacity, untilMs);
    }
  }
}
