import { loadScript, type RedisScript } from './redis-script.js';

const ALGORITHMS = [
  'states.lua',
  'bucket.lua',
  'taken-until.lua',
  'gcra.lua',
  'fixed-window.lua',
  'sliding-counter.lua',
  'sliding-log.lua',
] as const;

/** The scripts of a store of rate limits. */
export interface RateScripts {
  readonly take: RedisScript;
  readonly peek: RedisScript;
  readonly settle: RedisScript;
  readonly schedule: RedisScript;
  readonly reset: RedisScript;
}

export function loadRateScripts(): RateScripts {
  return {
    take: loadScript(...ALGORITHMS, 'take.lua'),
    peek: loadScript(...ALGORITHMS, 'answers.lua', 'peek.lua'),
    settle: loadScript(...ALGORITHMS, 'answers.lua', 'settle.lua'),
    schedule: loadScript('states.lua', 'taken-until.lua', 'leaking-queue.lua'),
    reset: loadScript('reset.lua'),
  };
}
