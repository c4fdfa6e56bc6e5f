import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectNoMishaps } from '../server/mishaps.js';
import { answerOf, pathOf, RawFleet, textOf } from './raw-fleet.js';
import { until } from './until.js';

expectNoMishaps();

function aFleet(): RawFleet {
  const fleet = new RawFleet();
  onTestFinished(() => fleet.stop());
  return fleet;
}

describe('a connection', () => {
  it('is used again and again, without anything left behind on it', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const { backend, client } = await aFleet().answering((request) => answerOf(pathOf(request)));
    for (let i = 0; i < 100; i++) expect(await textOf(client, `/${i}`)).toBe(`/${i}`);
    expect(backend.connections).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it('is used again behind answers of every kind that ends by itself', async () => {
    const kinds: Record<string, string> = {
      '/empty': answerOf(''),
      '/chunks': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      '/trailers': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx-sum: 6\r\n\r\n',
      '/none': 'HTTP/1.1 204 No Content\r\n\r\n',
      '/same': 'HTTP/1.1 304 Not Modified\r\ncontent-length: 100\r\n\r\n',
      '/old': answerOf('old', 'connection: keep-alive').replace('1.1', '1.0'),
      '/hint': `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${answerOf('hinted')}`,
      '/missing': answerOf('not there').replace('200', '404'),
    };
    const { backend, client } = await aFleet().answering((request) => kinds[pathOf(request)]);
    const seen: unknown[] = [];
    for (const path of Object.keys(kinds)) {
      const { statusCode, body, trailers } = await client.request(path);
      seen.push([statusCode, await body.text(), trailers]);
    }
    expect(seen).toEqual([
      [200, '', {}],
      [200, 'abc', {}],
      [200, 'abc', { 'x-sum': '6' }],
      [204, '', {}],
      [304, '', {}],
      [200, 'old', {}],
      [200, 'hinted', {}],
      [404, 'not there', {}],
    ]);
    expect(backend.connections).toHaveLength(1);
  });

  it.each([
    ['says that it closes', answerOf('ok', 'Connection: close')],
    ['is of HTTP/1.0', answerOf('ok').replace('1.1', '1.0')],
    ['is kept for too short a time', answerOf('ok', 'Keep-Alive: timeout=2')],
    ['has more behind its answer', `${answerOf('ok')}HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nbad`],
    ['has an empty line behind its answer', `${answerOf('ok')}\r\n`],
  ])('that %s is not used again', async (_what, answer) => {
    const { backend, client } = await aFleet().answering(() => answer);
    for (let i = 0; i < 5; i++) expect(await textOf(client, '/')).toBe('ok');
    // One may have been opened beforehand, and have carried none.
    const used = backend.connections.filter(({ bytes }) => bytes !== '');
    expect(used.map(({ bytes }) => bytes.match(/GET/g)!.length)).toEqual([1, 1, 1, 1, 1]);
    // And it is closed by us: the backend waits for that.
    await until('all closed', () => used.every(({ socket }) => socket.destroyed));
  });

  it('whose end is the end of its answer is not used again', async () => {
    const { backend, client } = await aFleet().answering((_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nto the');
      setImmediate(() => socket.end(' end'));
      return undefined;
    });
    for (let i = 0; i < 3; i++) expect(await textOf(client, '/')).toBe('to the end');
    expect(backend.connections).toHaveLength(3);
  });

  it('on which HEAD was asked is not used again: its server may send a body all the same, and late', async () => {
    const { client } = await aFleet().answering((request, socket) => {
      if (!request.startsWith('HEAD')) return answerOf('right');
      setTimeout(() => socket.write(answerOf('wrong')), 20);
      return 'HTTP/1.1 200 OK\r\ncontent-length: 44\r\n\r\n';
    });
    for (let i = 0; i < 3; i++) {
      const { body, headers } = await client.request('/', { method: 'HEAD' });
      expect([headers['content-length'], await body.text()]).toEqual(['44', '']);
      const later = Array.from({ length: 3 }, () => textOf(client, '/'));
      expect(await Promise.all(later)).toEqual(['right', 'right', 'right']);
    }
  });

  it('is given up as long before its server would as undici does', async () => {
    const { backend, client } = await aFleet().answering(() => answerOf('ok', 'Keep-Alive: timeout=3'));
    await textOf(client, '/');
    const beganMs = performance.now();
    await until('the end', () => backend.connections[0]!.socket.readableEnded);
    const keptMs = performance.now() - beganMs;
    expect(keptMs).toBeGreaterThan(900);
    // Of a server that does not say it is four.
    expect(keptMs).toBeLessThan(3_500);
  });

  it('on which something came that nobody asked for is not used again', async () => {
    const fleet = aFleet();
    const { backend, client } = await fleet.answering((request) => answerOf(pathOf(request)));
    for (let i = 0; i < 20; i++) {
      expect(await textOf(client, `/${i}`)).toBe(`/${i}`);
      backend.connections.at(-1)!.socket.write(answerOf('poison'));
      // It is there when the next one is asked for, whether or not it was read.
      await turn();
      if (i % 2 === 0) await turn();
    }
    expect(await textOf(client, '/last')).toBe('/last');
  });

  it('that its server has closed carries no request', async () => {
    const { backend, client } = await aFleet().answering((request) => answerOf(pathOf(request)));
    for (let i = 0; i < 30; i++) {
      expect(await textOf(client, `/${i}`)).toBe(`/${i}`);
      const { socket } = backend.connections.at(-1)!;
      if (i % 3 === 0) socket.resetAndDestroy();
      else socket.destroy();
      await turn();
      const asked = Array.from({ length: 3 }, (_, n) => textOf(client, `/${i}/${n}`));
      expect(await Promise.all(asked)).toEqual([`/${i}/0`, `/${i}/1`, `/${i}/2`]);
    }
  });

  it('is there for each of many requests at once, and for those that follow', async () => {
    const { backend, client } = await aFleet().answering((request) => answerOf(pathOf(request)), {
      roster: { activeLimit: 1_000 },
    });
    const paths = Array.from({ length: 200 }, (_, i) => `/${i}`);
    for (let round = 0; round < 3; round++)
      expect(await Promise.all(paths.map((path) => textOf(client, path)))).toEqual(paths);
    expect(backend.connections.length).toBeLessThanOrEqual(201);
  });

  it('is made to the address that answers when a name has several', async () => {
    const fleet = aFleet();
    const { backend } = await fleet.answering(() => answerOf('ok'));
    const client = fleet.client({
      backends: [`http://localhost:${backend.port}`],
      health: false,
      retry: false,
    });
    expect(await textOf(client, '/')).toBe('ok');
  });
});

describe('an answer', () => {
  it.each([
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n', 'UND_ERR_SOCKET'],
    ['101', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'UND_ERR_SOCKET'],
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n', 'HPE_INVALID_CONSTANT'],
    ['two lengths', answerOf('ok', 'content-length: 3'), 'HPE_UNEXPECTED_CONTENT_LENGTH'],
    ['too long a head', answerOf('ok', `x: ${'x'.repeat(20_000)}`), 'UND_ERR_HEADERS_OVERFLOW'],
    ['bad chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nhello', 'HPE_INVALID_CHUNK_SIZE'],
  ])('that is none (%s) fails, and the next is right', async (_what, answer, code) => {
    const { client } = await aFleet().answering((request) =>
      pathOf(request) === '/bad' ? answer : answerOf('ok'),
    );
    for (let i = 0; i < 3; i++) {
      await expect(textOf(client, '/bad')).rejects.toMatchObject({ code });
      expect(await textOf(client, '/')).toBe('ok');
    }
  });

  it('before all of a request was written is believed, and the rest is not sent', async () => {
    const { backend, client } = await aFleet().answering(() => answerOf('ok'));
    await textOf(client, '/');
    const { socket } = backend.connections[0]!;
    socket.removeAllListeners('data');
    socket.once('data', () => {
      socket.pause();
      socket.write(answerOf('too large').replace('200', '413'));
    });
    const body = Buffer.alloc(32_000_000);
    const { statusCode, body: answer } = await client.request('/', { method: 'POST', body });
    expect([statusCode, await answer.text()]).toEqual([413, 'too large']);
    socket.resume();
    await once(socket, 'close');
    expect(socket.bytesRead).toBeLessThan(body.length);
    expect(await textOf(client, '/')).toBe('ok');
  });

  it('that nobody reads is not read from its backend either', async () => {
    const bytes = 64_000_000;
    const { backend, client } = await aFleet().answering((_request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n`);
      const piece = Buffer.alloc(65_536, 'x');
      let left = bytes;
      const write = () => {
        while (left > 0) {
          const size = Math.min(left, piece.length);
          left -= size;
          if (!socket.write(piece.subarray(0, size))) return;
        }
      };
      socket.on('drain', write);
      write();
      return undefined;
    });
    const { body } = await client.request('/');
    const { socket } = backend.connections[0]!;
    let before = -1;
    // Until nothing moves any more.
    await until('a standstill', () => {
      const isStill = socket.bytesWritten === before && socket.writableLength > 0;
      before = socket.bytesWritten;
      return isStill;
    });
    // What kernels keep for a connection, and no more.
    expect(before).toBeLessThan(bytes / 2);
    let read = 0;
    for await (const chunk of body) read += (chunk as Buffer).length;
    expect(read).toBe(bytes);
  });
});
