import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { applyLimits, SERVER_LIMITS_DEFAULTS } from './server-limits.js';

const checked = (headersTimeout?: number) => {
  const server = createServer(headersTimeout === undefined ? {} : { headersTimeout });
  applyLimits(server, SERVER_LIMITS_DEFAULTS, true);
  return (server as { connectionsCheckingInterval?: number }).connectionsCheckingInterval;
};

it('has late headers looked for in a third of their time', () => {
  expect(checked()).toBe(5_000);
  expect(checked(600)).toBe(200);
});

it('has nothing looked for all the time when headers may take for ever', () => {
  expect(checked(0)).toBe(30_000);
});
