/** What a request was assumed to cost when it was let in. Whoever ends it hands this back. */
export interface Assumption {
  readonly cost: number;
  /** Not, if quotas did not count then: nothing of it is owed, whatever it turns out to cost. */
  readonly isOwed: boolean;
}

/** For what nobody was asked about: a cost that comes when its request has ended already. */
export const NOTHING_ASSUMED: Assumption = Object.freeze({ cost: 0, isOwed: true });

/** A request costs no more than this: sums of them stay finite, in four bytes too. */
export const MOST_COST = 1e15;
