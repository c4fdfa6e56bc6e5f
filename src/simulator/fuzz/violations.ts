/** Something that must not be, and was. */
export interface Violation {
  /** What should hold, in words. */
  readonly invariant: string;
  readonly details: string;
}

/** Of one kind: the first ones are nearest to the cause, and nobody reads more. */
const MOST = 3;

export class Violations {
  readonly all: Violation[] = [];

  /** `details` are worked out only when they are needed. */
  unless(holds: boolean, invariant: string, details: () => string): void {
    if (holds) return;
    const told = this.all.filter((violation) => violation.invariant === invariant);
    if (told.length < MOST) this.all.push({ invariant, details: details() });
  }
}
