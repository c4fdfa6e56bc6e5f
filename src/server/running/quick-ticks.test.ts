import { createHook } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { keepTicksQuick } from './quick-ticks.js';

describe('keepTicksQuick', () => {
  it('keeps one entry of the queue, once for the process', () => {
    const first = keepTicksQuick();
    expect(first).toMatchObject({ callback: expect.any(Function) });
    expect(keepTicksQuick()).toBe(first);
  });

  it('leaves no hook behind', () => {
    let seen = 0;
    const hook = createHook({ init: () => seen++ }).enable();
    hook.disable();
    keepTicksQuick();
    process.nextTick(() => {});
    expect(seen).toBe(0);
  });
});
