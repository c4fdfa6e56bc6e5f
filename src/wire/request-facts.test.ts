import { expect, it } from 'vitest';
import { RequestFacts } from './request-facts.js';

const ID = '0af7651916cd43dd8448eb211c80319c';

it('looks at the trace when it is asked for, once', () => {
  const facts = new RequestFacts();
  expect(facts.traceId).toBeUndefined();
  expect(facts.malformed).toBe(0);
  facts.reset();
  facts.traceparent = `00-${ID}-b7ad6b7169203331-01`;
  expect(facts.traceId).toBe(ID);
  facts.reset();
  facts.traceparent = 'nonsense';
  expect(facts.malformed).toBe(0);
  expect(facts.traceId).toBeUndefined();
  expect(facts.traceId).toBeUndefined();
  expect(facts.malformed).toBe(1);
});

it('keeps nothing that a stranger may not decide', () => {
  const facts = new RequestFacts();
  facts.criticality = 'CRITICAL_PLUS';
  facts.attempt = 3;
  facts.timeoutMs = 5;
  facts.customer = 'acme';
  facts.traceparent = `00-${ID}-b7ad6b7169203331-01`;
  expect(facts.traceId).toBe(ID);
  facts.hasBody = true;
  facts.contentLength = 7;
  facts.malformed = 2;
  facts.disbelieve();
  expect(facts).toMatchObject({
    criticality: undefined,
    attempt: 1,
    timeoutMs: undefined,
    customer: undefined,
  });
  expect(facts.traceId).toBeUndefined();
  expect(facts).toMatchObject({ hasBody: true, contentLength: 7, malformed: 2 });
});
