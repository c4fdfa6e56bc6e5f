import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { FRAMES, PREFACE } from './http2/frames.js';
import { frame, head } from './http2/peer.contract.js';
import { startRateLimitService } from './rate-limit-service.js';

afterEach(() => {
  vi.useRealTimers();
});

describe('RateLimitService', () => {
  it('is closed after the time that was promised, whoever holds on to it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rules-'));
    const file = join(folder, 'rules.yaml');
    await writeFile(file, 'domain: d\ndescriptors: []\n');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const service = await startRateLimitService({ paths: [file], grpcPort: 0, httpPort: 0, drainMs: 5_000 });
    const grpc = connect(service.ports.grpc, '127.0.0.1');
    const http = connect(service.ports.http!, '127.0.0.1');
    for (const socket of [grpc, http]) socket.on('error', () => {});
    onTestFinished(async () => {
      grpc.destroy();
      http.destroy();
      await service.close();
      await rm(folder, { recursive: true });
    });
    grpc.write(Buffer.concat([PREFACE, frame(FRAMES.settings, 0, 0), head(1)]));
    await once(grpc, 'data');
    http.write('POST /json HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n');
    await once(http, 'data');
    const isGone = Promise.all([once(grpc, 'close'), once(http, 'close')]);
    for (const socket of [grpc, http]) socket.resume();
    const closed = service.close();
    await vi.advanceTimersByTimeAsync(5_000);
    await isGone;
    await expect(closed).resolves.toBeUndefined();
  });
});
