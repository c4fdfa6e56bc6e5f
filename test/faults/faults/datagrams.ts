import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DATAGRAM_BYTES } from '../../../src/wire/index.js';
import { UdpClient } from '../../integration/health/udp-client.js';
import { atMost, type Fault, kept, none } from '../fault.js';
import { AttackedServer } from '../tools/attacked-server.js';
import { goodputHolds } from './attacks.js';

const FORGERS = 20;
const PER_SECOND = 5_000;
const SECONDS = 5;

/** What begins as a question of ours does. */
const CHECK = Buffer.from('504c494d01000100', 'hex');

/** Addresses of this machine that are nobody's, each with a socket that hears what is answered there. */
async function aForger(at: number, onBytes: (count: number) => void): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.on('message', ({ length }) => onBytes(length));
  socket.bind(0, `127.0.0.${at + 2}`);
  await once(socket, 'listening');
  return socket;
}

function aDatagram(at: number): Buffer {
  if (at % 4 === 0) return randomBytes(1 + (at % 1_400));
  if (at % 4 === 1) return randomBytes(DATAGRAM_BYTES);
  // Right in form: tokens and cookies are made up.
  return Buffer.concat([CHECK, randomBytes(DATAGRAM_BYTES - CHECK.length)]);
}

const forged: Fault = {
  name: 'forged-datagrams',
  what: `${PER_SECOND} datagrams a second from ${FORGERS} addresses, a half of them noise and a half in our form with made-up tokens and cookies`,
  withinSeconds: 40,
  run: async (stage) => {
    const server = await stage.start(AttackedServer.start());
    const before = await server.stream({ path: '/', perSecond: 100 }, 2);
    let [sentBytes, heardBytes, sent] = [0, 0, 0];
    const forgers: Socket[] = [];
    for (let at = 0; at < FORGERS; at++) {
      const forger = await aForger(at, (count) => {
        heardBytes += count;
      });
      forgers.push(stage.own(forger, (socket) => socket.close()));
    }
    const beganMs = performance.now();
    const flood = setInterval(() => {
      for (const due = ((performance.now() - beganMs) * PER_SECOND) / 1_000; sent < due; sent++) {
        const bytes = aDatagram(sent);
        sentBytes += bytes.length;
        forgers[sent % FORGERS]!.send(bytes, server.port, '127.0.0.1');
      }
    }, 5);
    stage.own(flood, clearInterval);
    const honest = stage.own(new UdpClient(server.port), (client) => client.close());
    let [asked, answered] = [0, 0];
    const asking = (async () => {
      for (; performance.now() < beganMs + SECONDS * 1_000; asked++) {
        const answer = honest.ask().then(() => answered++);
        await Promise.race([answer, sleep(200)]);
        await sleep(100);
      }
    })();
    const during = await server.stream({ path: '/', perSecond: 100 }, SECONDS);
    clearInterval(flood);
    await asking;
    await sleep(200);
    return [
      atMost('bytes sent to forgers, for each byte of theirs', heardBytes / sentBytes, 1),
      goodputHolds(before, during),
      kept(
        'health checks of an honest client are answered within 200 ms: at least half, so that three in a row are missed by one in eight',
        `${answered} of ${asked}`,
        answered >= asked / 2 && asked > 0,
      ),
      none('requests in flight when it is over', (await server.usage()).snapshot.inFlight, during.sent),
    ];
  },
};

export const DATAGRAM_FAULTS: readonly Fault[] = [forged];
