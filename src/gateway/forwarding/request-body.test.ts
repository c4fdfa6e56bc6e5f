import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { StreamedBody } from './request-body.js';

/** A request of which a piece was read before its client went. */
async function cutOff(): Promise<IncomingMessage> {
  const req = new IncomingMessage(new Socket());
  req.push('hello');
  req.on('error', () => {});
  req.destroy(new Error('aborted'));
  await new Promise((resolve) => req.on('close', resolve));
  return req;
}

it('is cut off, also for who asks only when nobody says so any more', async () => {
  const onAsked = vi.fn();
  const body = new StreamedBody(await cutOff(), 100, onAsked);
  await expect(body.next()).rejects.toThrow('the request was cut off');
  // Who has gone needs no word to go on.
  expect(onAsked).not.toHaveBeenCalled();
});

it('has begun with its end, as who waits for that is told', async () => {
  const body = new StreamedBody(await cutOff(), 100, () => {});
  const onBegun = vi.fn();
  body.whenBegun(onBegun);
  expect(onBegun).toHaveBeenCalledTimes(1);
  await expect(body.next()).rejects.toThrow('the request was cut off');
});
