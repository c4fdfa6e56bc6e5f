import type { Choice } from './protocol.js';

/** What gives the same in a terminal. */
export function commandOf({ subject, seed, policies }: Choice): string {
  return [
    'plimsoll simulate',
    subject.kind === 'scenario' ? subject.name : 'fleet.yaml',
    ...(seed === 0 ? [] : ['--seed', seed]),
    ...(policies.length === 0 ? [] : ['--policy', policies.join(',')]),
  ].join(' ');
}
