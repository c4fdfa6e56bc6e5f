import { AsyncResource } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSwitchHooks, type SwitchHooks } from './switch-hooks.js';

/** How code comes to run later. */
const LATER: [string, (run: () => void) => void][] = [
  ['a timer', (run) => setTimeout(run, 0)],
  ['an immediate', (run) => setImmediate(run)],
  ['a tick', (run) => process.nextTick(run)],
  ['a continuation of a promise', (run) => void Promise.resolve().then(run)],
  [
    'a continuation of an async function',
    async (run) => {
      await undefined;
      run();
    },
  ],
  ['a microtask', (run) => queueMicrotask(run)],
];

describe('createSwitchHooks', () => {
  let switches = 0;
  let hooks: SwitchHooks;
  beforeEach(() => {
    hooks = createSwitchHooks(() => {
      switches += 1;
    });
    switches = 0;
  });
  afterEach(() => hooks.disable());

  /** Switches from now to the first statement of what runs later. */
  async function switchesUntil(later: (run: () => void) => void): Promise<number> {
    const before = switches;
    return new Promise((resolve) => later(() => resolve(switches - before)));
  }

  it.each(LATER)('calls before %s runs', async (_, later) => {
    hooks.enable();
    expect(await switchesUntil(later)).toBeGreaterThanOrEqual(1);
  });

  it.each(LATER)('does not before %s when it is disabled', async (_, later) => {
    expect(await switchesUntil(later)).toBe(0);
    hooks.enable();
    hooks.disable();
    expect(await switchesUntil(later)).toBe(0);
  });

  it('does not call when code goes on', () => {
    hooks.enable();
    expect(switches).toBe(0);
  });

  it('may be enabled and disabled again, and twice in a row', async () => {
    for (let round = 0; round < 2; round++) {
      hooks.enable();
      hooks.enable();
      expect(await switchesUntil((run) => setImmediate(run))).toBeGreaterThanOrEqual(1);
      hooks.disable();
      hooks.disable();
      for (const [, later] of LATER) expect(await switchesUntil(later)).toBe(0);
    }
  });

  it('calls once for a callback, however often it is enabled', () => {
    hooks.enable();
    hooks.enable();
    new AsyncResource('TEST').runInAsyncScope(() => expect(switches).toBe(1));
    expect(switches).toBe(1);
  });
});
