import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { endEmpty } from './end-empty.js';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

/** All that comes back for two requests that are sent at once on one connection. */
async function askTwice(handler: Handler): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  stops.push(() => server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET /1 HTTP/1.1\r\nhost: a\r\n\r\nGET /2 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'close');
  return text;
}

describe('endEmpty', () => {
  it('ends a request without a body, and nobody hears of it', async () => {
    const seen: unknown[] = [];
    const events: string[] = [];
    const text = await askTwice((req, res) => {
      endEmpty(req);
      for (const event of ['end', 'close', 'readable']) req.on(event, () => events.push(event));
      res.on('close', () => seen.push([req.url, req.complete, req.readableEnded, req.destroyed]));
      res.end(req.url);
    });
    expect(text.match(/(?<=\r\n)\/\d/g)).toEqual(['/1', '/2']);
    expect(text.match(/HTTP\/1.1 200/g)).toHaveLength(2);
    expect(events).toEqual([]);
    expect(seen).toEqual([
      ['/1', true, true, true],
      ['/2', true, true, true],
    ]);
  });

  it.each(['end', 'close'])('leaves alone one whose %s somebody waits for', async (event) => {
    const heard: unknown[] = [];
    await askTwice((req, res) => {
      req.on(event, () => heard.push(req.url));
      endEmpty(req);
      res.end();
    });
    expect(heard).toEqual(['/1', '/2']);
  });

  it.each([
    ['no stream of Node’s', {}],
    ['a stream that is kept otherwise', { _dumped: false, _readableState: { ended: false } }],
    ['one that was read already', { _dumped: true, _readableState: { ended: false } }],
  ])('leaves alone %s', (_, parts) => {
    const req = { ...structuredClone(parts), listenerCount: () => 0 };
    endEmpty(req as unknown as IncomingMessage);
    expect(req).toMatchObject(parts);
  });
});
