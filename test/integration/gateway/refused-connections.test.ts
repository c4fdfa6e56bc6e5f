import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, it } from 'vitest';
import { GatewayProcess } from './gateway-process.js';
import { RunningGateway } from './running-gateway.js';
import { eventually } from './workers/workers-bed.js';

const SETTINGS = `
overload: { mode: dry-run, maxConnections: 2 }
routes: [{ to: "http://127.0.0.1:1" }]
`;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Says nothing, and stays as long as it may. */
async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  closing.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

describe('connections beyond the bound', () => {
  it('are closed as they come, and counted', async () => {
    const running = await RunningGateway.start(SETTINGS);
    closing.push(() => running.stop());
    for (let i = 0; i < 5; i++) await open(running.port);
    await eventually('a count', async () => running.gateway.snapshot().refusedConnections === 3, 5_000);
  });

  it('are counted by workers, too', async () => {
    const admin = 'workers: 2\nadmin: { address: "127.0.0.1:0" }\nlog: { level: "off" }\n';
    const gateway = await GatewayProcess.start(`listen: 127.0.0.1:0\n${admin}${SETTINGS}`);
    closing.push(() => gateway.stop());
    for (let i = 0; i < 5; i++) await open(gateway.port);
    const at = /admin listens on (http:\S+)/.exec(gateway.stderr)?.[1];
    await eventually('a count', async () => {
      const answer = await fetch(`${at}/snapshot`, { headers: { connection: 'close' } });
      const { total } = (await answer.json()) as { total: { refusedConnections: number } };
      return total.refusedConnections === 3;
    });
  });
});
