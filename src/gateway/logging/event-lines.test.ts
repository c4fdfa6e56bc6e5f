import { describe, expect, it } from 'vitest';
import type { GatewayEvent } from '../gateway-events.js';
import { lineOf } from './event-lines.js';

const backend = { kind: 'backend', service: 'users', backend: 'http://10.0.0.1', before: 'ready' } as const;

describe('lineOf', () => {
  it('has a level that fits, and words', () => {
    expect(lineOf({ ...backend, state: 'ejected' })).toEqual({
      level: 'warn',
      message: 'backend ejected',
      fields: { service: 'users', backend: 'http://10.0.0.1', before: 'ready', state: 'ejected' },
    });
    expect(lineOf({ ...backend, state: 'ready' }).level).toBe('info');
    expect(lineOf({ ...backend, state: 'connecting' }).level).toBe('debug');
    expect(lineOf({ kind: 'drain' })).toEqual({ level: 'info', message: 'draining', fields: {} });
    expect(lineOf({ kind: 'quota-stage', stage: 'safe' }).level).toBe('warn');
    expect(lineOf({ kind: 'quota-stage', stage: 'fresh' }).level).toBe('info');
    expect(lineOf({ kind: 'quota-stage', stage: 'alone' }).level).toBe('info');
    expect(lineOf({ kind: 'limit-store', isReachable: false }).level).toBe('error');
    expect(lineOf({ kind: 'limit-store', isReachable: true }).level).toBe('info');
    const lost = { kind: 'resolver', service: 'users', reason: 'no such name' } as const;
    expect(lineOf({ ...lost, known: 0 })).toEqual({
      level: 'error',
      message: 'backends cannot be found',
      fields: { service: 'users', reason: 'no such name', known: 0 },
    });
    expect(lineOf({ ...lost, known: 2 }).level).toBe('warn');
    expect(lineOf({ ...lost, reason: undefined, known: 2 })).toEqual({
      level: 'info',
      message: 'backends are found again',
      fields: { service: 'users', known: 2 },
    });
    const died = { kind: 'worker-died', worker: 2, code: null, signal: 'SIGKILL' } as const;
    expect(lineOf(died)).toMatchObject({ level: 'error', fields: { worker: 2, signal: 'SIGKILL' } });
  });

  it('calls the process that a worker is by another name than the one that writes the line', () => {
    const { fields } = lineOf({ kind: 'worker-started', worker: 1, pid: 7 });
    expect(fields).toEqual({ worker: 1, workerPid: 7 });
  });

  it('says why settings were refused, within bounds', () => {
    const { level, fields } = lineOf({ kind: 'reload-failed', reason: 'x'.repeat(5_000) });
    expect(level).toBe('error');
    expect(JSON.stringify(fields).length).toBeLessThan(1_100);
  });

  it('knows what to do with news that it does not know', () => {
    expect(lineOf({ kind: 'eclipse' } as unknown as GatewayEvent)).toEqual({
      level: 'info',
      message: 'eclipse',
      fields: {},
    });
  });
});
