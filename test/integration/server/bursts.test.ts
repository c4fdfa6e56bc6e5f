import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ServerProcess } from './server-process.js';

let server: ServerProcess;
afterEach(() => server.stop());

/** Opens a connection, asks once, and reads what is answered until it is closed. */
function askOnce(port: number, criticality: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', ({ message }) => {
      received ||= message;
    });
    socket.on('close', () => resolve(received.slice(9, 12)));
    socket.write(
      `GET / HTTP/1.1\r\nhost: x\r\nx-request-criticality: ${criticality}\r\nconnection: close\r\n\r\n`,
    );
  });
}

test('2,000 new connections at once, a request on each, are all answered or refused', async () => {
  server = await ServerProcess.start();
  const asked = Array.from({ length: 2_000 }, (_, i) =>
    askOnce(server.port, i % 2 === 0 ? 'CRITICAL' : 'SHEDDABLE'),
  );
  const outcomes = await Promise.all(asked);
  const count = (status: string) => outcomes.filter((each) => each === status).length;
  expect(new Set(outcomes.filter((each) => each !== '200' && each !== '503'))).toEqual(new Set());
  // How many depends on the machine; that it does not stop serving does not.
  expect(count('200')).toBeGreaterThan(20);
  await server.until(({ connections, inFlight }) => connections === 0 && inFlight === 0);
  const { counts, gate } = await server.command('snapshot');
  expect(gate.running).toBe(0);
  expect(counts.CRITICAL.ended + counts.SHEDDABLE.ended).toBe(count('200'));
  expect(counts.CRITICAL.refused + counts.SHEDDABLE.refused).toBe(count('503'));
});
