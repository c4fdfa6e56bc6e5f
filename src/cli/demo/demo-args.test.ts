import { expect, it } from 'vitest';
import { parseDemoArgs } from './demo-args.js';

const PLAIN = { load: 0.8, forMs: undefined, isJson: false, port: 9901, redis: undefined, opens: false };

it('runs until it is told to end, unless somebody says how', () => {
  expect(parseDemoArgs([], {})).toEqual(PLAIN);
  expect(parseDemoArgs(['--for', '20s', '--load', '3', '--json', '--port', '0'], {})).toEqual({
    ...PLAIN,
    load: 3,
    forMs: 20_000,
    isJson: true,
    port: 0,
  });
  expect(parseDemoArgs(['--redis', 'redis://127.0.0.1:6379', '--open'])).toEqual({
    ...PLAIN,
    redis: 'redis://127.0.0.1:6379',
    opens: true,
  });
  expect(parseDemoArgs(['--for', '1.5min'])?.forMs).toBe(90_000);
  expect(parseDemoArgs(['--help', '--load', 'x'])).toBe(undefined);
});

it.each([
  [['now'], 'demo takes options alone, got now'],
  [['--load', '0'], '--load must be a number from 0.5 to 10, got "0"'],
  [['--load', '11'], '--load must be'],
  [['--load', '1e1'], '--load must be'],
  [['--load', ''], '--load must be'],
  [['--for', '20'], '--for must be a duration from 1s to 24h, like 20s, got "20"'],
  [['--for', '1ms'], '--for must be'],
  [['--for', '25h'], '--for must be'],
  [['--json'], '--json is for the summary: it needs --for 20s'],
  [['--port', '65536'], '--port must be a whole number from 0 to 65535, got "65536"'],
  [['--port=-1'], '--port must be'],
  [['--redis', 'http://secret@here'], '--redis must be a URL like redis://127.0.0.1:6379'],
  [['--fro', '1s'], "Unknown option '--fro'"],
])('does not take %j', (args, problem) => {
  expect(() => parseDemoArgs(args, {})).toThrow(problem);
});

it('takes the address of a Redis from the environment, where a password is safe', () => {
  const environment = { PLIMSOLL_REDIS_URL: 'rediss://:secret@10.0.0.1:6379' };
  expect(parseDemoArgs([], environment)?.redis).toBe('rediss://:secret@10.0.0.1:6379');
  expect(parseDemoArgs(['--redis', 'redis://b'], environment)?.redis).toBe('redis://b');
  expect(parseDemoArgs([], { PLIMSOLL_REDIS_URL: '' })?.redis).toBe(undefined);
  expect(() => parseDemoArgs([], { PLIMSOLL_REDIS_URL: 'http://secret' })).toThrow(
    /^PLIMSOLL_REDIS_URL must be a URL like redis:\/\/127\.0\.0\.1:6379$/,
  );
});
