import { describe, expect, it } from 'vitest';
import { Paced } from './paced.js';

/** Something whose making ends when it is told to. */
function setUp() {
  let now = 1_000;
  const pending: PromiseWithResolvers<number>[] = [];
  const paced = new Paced(
    () => {
      const made = withResolvers<number>();
      pending.push(made);
      return made.promise;
    },
    () => now,
  );
  const end = async (at: number, ms: number) => {
    now += ms;
    pending[at]!.resolve(at);
    await pending[at]!.promise;
  };
  return { paced, pending, end, pass: (ms: number) => (now += ms) };
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

describe('Paced', () => {
  it('makes one for all who ask meanwhile, however long it takes', async () => {
    const { paced, pending, end, pass } = setUp();
    const first = paced.get();
    pass(60_000);
    expect(paced.get()).toBe(first);
    await end(0, 0);
    expect(pending).toHaveLength(1);
  });

  it('gives the last one for ten times as long as it took', async () => {
    const { paced, pending, end, pass } = setUp();
    const first = paced.get();
    await end(0, 30);
    pass(299);
    expect(await paced.get()).toBe(await first);
    pass(1);
    void paced.get();
    expect(pending).toHaveLength(2);
  });

  it('gives nothing older than two seconds', async () => {
    const { paced, pending, end, pass } = setUp();
    void paced.get();
    await end(0, 1_000);
    pass(1_999);
    void paced.get();
    expect(pending).toHaveLength(1);
    pass(1);
    void paced.get();
    expect(pending).toHaveLength(2);
  });

  it('does not keep a failure', async () => {
    const { paced, pending } = setUp();
    const first = paced.get();
    pending[0]!.reject(new Error('no'));
    await expect(first).rejects.toThrow('no');
    void paced.get();
    expect(pending).toHaveLength(2);
  });
});
