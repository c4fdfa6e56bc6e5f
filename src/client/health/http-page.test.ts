import { expect, it } from 'vitest';
import { readPage, readStatus } from './http-page.js';

const READY = '{"state":"ready","load":"TEXT named_metrics.rif=3"}';

it.each([
  [200, READY, { state: 'ready', report: { inFlight: 3 } }],
  [503, '{"state":"lame-duck"}', { state: 'lame-duck', report: {} }],
  [404, READY, 'none'],
  [404, '', 'none'],
  [200, 'hello', 'none'],
  [302, '', 'none'],
  [403, '', 'none'],
  [503, 'overloaded', 'failed'],
  [502, READY, 'failed'],
  [429, '', 'failed'],
])('%d %s', (status, body, result) => {
  expect(readPage(status, body)).toEqual(result);
});

it.each([
  [200, READY, { state: 'ready', report: { inFlight: 3 } }],
  [503, '{"state":"lame-duck"}', { state: 'lame-duck', report: {} }],
  [200, 'OK', { status: 200 }],
  [204, '', { status: 204 }],
  [503, 'shutting down', { status: 503 }],
  [404, READY, { status: 404 }],
])('of a page that is asked for its status: %d %s', (status, body, result) => {
  expect(readStatus(status, body)).toEqual(result);
});
