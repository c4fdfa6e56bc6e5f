import { createHook } from 'node:async_hooks';
import { promiseHooks } from 'node:v8';
import { hasCheapContext } from '../../context/index.js';

/** Calls something whenever other code begins to run: a callback, a timer, a tick, a continuation of a promise. */
export interface SwitchHooks {
  enable(): void;
  disable(): void;
}

/** What async_hooks of Node 24 take in addition. */
interface HookOptions {
  before(): void;
  trackPromises?: boolean;
}

/**
 * - With AsyncContextFrame (Node 24) context does without async_hooks. They are needed for callbacks only; promises come
 *   from V8's own hooks, which cost less as they give promises no ids.
 * - Without, context has async_hooks follow promises anyway.
 */
export function createSwitchHooks(onSwitch: () => void): SwitchHooks {
  const isSplit = hasCheapContext() && canLeaveOutPromises();
  const options: HookOptions = isSplit ? { before: onSwitch, trackPromises: false } : { before: onSwitch };
  const hook = createHook(options);
  let stopPromises: (() => void) | undefined;
  return {
    enable() {
      hook.enable();
      if (isSplit) stopPromises ??= promiseHooks.onBefore(onSwitch) as () => void;
    },
    disable() {
      hook.disable();
      stopPromises?.();
      stopPromises = undefined;
    },
  };
}

/** A Node that knows the option does not take a word for it. */
function canLeaveOutPromises(): boolean {
  try {
    createHook({ trackPromises: 'no' } as object);
    return false;
  } catch {
    return true;
  }
}
