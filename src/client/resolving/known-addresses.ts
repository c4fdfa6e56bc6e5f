export interface AddressRecord {
  readonly address: string;
  readonly ttlMs: number;
}

/** What came of one question, for addresses of one family. */
export interface FamilyAnswer {
  readonly family: 4 | 6;
  /** None of them: `error` says why. */
  readonly records: readonly AddressRecord[];
  readonly error?: NodeJS.ErrnoException | undefined;
}

/** What came of asking for a name: addresses, the word that there are none, or nothing. */
export type NameOutcome =
  | { readonly kind: 'found'; readonly ttlMs: number }
  | { readonly kind: 'empty' | 'failed'; readonly error: Error };

/** "No such name" and "no records of this kind": answers, though Node has them as errors. */
const EMPTY = ['ENOTFOUND', 'ENODATA'];

export function isEmptyAnswer(error: NodeJS.ErrnoException): boolean {
  return EMPTY.includes(error.code ?? '');
}

/**
 * The addresses of one name, by family. One family is enough for an answer. A family that could not be asked keeps its
 * last addresses: half of the backends would be gone because one datagram was lost.
 */
export class KnownAddresses {
  readonly #byFamily = new Map<4 | 6, readonly string[]>();

  /** IPv6 in brackets, as in URLs; sorted within a family. */
  get hosts(): readonly string[] {
    const four = this.#byFamily.get(4) ?? [];
    const six = this.#byFamily.get(6) ?? [];
    return [...four.toSorted(), ...six.toSorted().map((address) => `[${address}]`)];
  }

  learn(answers: readonly FamilyAnswer[]): NameOutcome {
    const found = answers.filter(({ records }) => records.length > 0);
    if (found.length === 0) return failure(answers);
    for (const { family, records, error } of answers) {
      if (records.length > 0) {
        this.#byFamily.set(
          family,
          records.map(({ address }) => address),
        );
      } else if (error === undefined || isEmptyAnswer(error)) this.#byFamily.delete(family);
    }
    const ttlsMs = found.flatMap(({ records }) => records.map(({ ttlMs }) => ttlMs));
    return { kind: 'found', ttlMs: ttlsMs.reduce((least, ttlMs) => Math.min(least, ttlMs)) };
  }

  forget(): void {
    this.#byFamily.clear();
  }
}

/** Sure that there are none only if every family says so. */
function failure(answers: readonly FamilyAnswer[]): NameOutcome {
  const failed = answers.find(({ error }) => error !== undefined && !isEmptyAnswer(error));
  if (failed?.error !== undefined) return { kind: 'failed', error: failed.error };
  return { kind: 'empty', error: answers[0]?.error ?? new Error('no addresses') };
}
