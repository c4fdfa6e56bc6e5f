import { afterEach, beforeEach, expect } from 'vitest';

/** Fails each test of a file in whose course something was thrown that nobody caught. */
export function expectNoMishaps(): void {
  const mishaps: unknown[] = [];
  const note = (reason: unknown) => mishaps.push(reason);
  beforeEach(() => {
    mishaps.length = 0;
    process.on('unhandledRejection', note);
    process.on('uncaughtException', note);
  });
  afterEach(async () => {
    // Rejections are told of after the microtasks of the turn in which they happened.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    process.off('uncaughtException', note);
    expect(mishaps).toEqual([]);
  });
}
