import { describe, expect, it } from 'vitest';
import { happeningOf } from './happening.js';

const told = (event: string, fields: object) =>
  happeningOf({ event, id: 'm-1', data: JSON.stringify({ atMs: 1_000, ...fields }) }, 250);

describe('what has happened', () => {
  it('is told in a sentence, at a time of this page', () => {
    const backend = { service: 'shop', backend: 'http://10.0.0.1:80', state: 'lame-duck', before: 'ready' };
    expect(told('backend', backend)).toEqual({
      id: 'm-1',
      atMs: 1_250,
      kind: 'backend',
      tone: 'warn',
      label: '10.0.0.1:80 lame duck',
      sentence: '10.0.0.1:80 of shop is lame duck; before: ready.',
    });
  });

  it.each([
    ['lame-duck', {}, 'lame duck'],
    ['drain', {}, 'drain'],
    ['reload', {}, 'reload'],
    ['reload-failed', { reason: 'line 3' }, 'reload failed'],
    ['limit-store', { isReachable: false }, 'store lost'],
    ['limit-store', { isReachable: true }, 'store back'],
    ['quota-coordinator', { isCoordinator: true }, 'coordinator'],
    ['quota-stage', { stage: 'alone' }, 'quota alone'],
    ['worker-started', { worker: 2, pid: 9 }, 'worker 2'],
    ['worker-died', { worker: 2, code: null, signal: 'SIGKILL' }, 'worker 2 died'],
    ['of-tomorrow', {}, 'of tomorrow'],
  ])('has a mark for %s', (event, fields, label) => {
    expect(told(event, fields)?.label).toBe(label);
  });

  it('is no snapshot, and nothing that cannot be read', () => {
    expect(told('snapshot', {})).toBeUndefined();
    expect(happeningOf({ event: 'drain', id: '', data: 'nonsense' }, 0)).toBeUndefined();
  });
});
