import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, type ClientOptions, createClient } from 'plimsoll/client';
import { atMost } from '../../overload/checks.js';
import { quantileOfSorted, roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { Backend } from '../backend.js';

const ROUNDS = 10;
/** Two round trips, and this. */
const GRACE_MS = 50;
/** Longer than a push is sent again. */
const PATIENCE_MS = 5_000;

/** One that sends requests, and one that has sent none for a while and holds no connection. */
const CLIENTS: Readonly<Record<string, Partial<ClientOptions>>> = {
  active: {},
  inactive: { connections: { idleMs: 300, inactiveMs: 300 } },
};

/** How long after a backend became a lame duck its clients know. */
export async function measureLameDuck(): Promise<Report> {
  const rows: object[] = [];
  const checks = [];
  for (const [name, options] of Object.entries(CLIENTS)) {
    const heard: number[] = [];
    const trips: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { heardMs, tripMs } = await once(options, name === 'inactive');
      heard.push(heardMs);
      trips.push(tripMs);
    }
    heard.sort((a, b) => a - b);
    trips.sort((a, b) => a - b);
    const tripMs = quantileOfSorted(trips, 0.5);
    const row = {
      client: name,
      'round trip ms': roundTo(tripMs, 2),
      'heard p50 ms': roundTo(quantileOfSorted(heard, 0.5), 2),
      'heard at most ms': roundTo(heard.at(-1)!, 2),
    };
    rows.push(row);
    checks.push(
      atMost(
        `${name}: ms until it knows, less two round trips (median)`,
        row['heard p50 ms'] - 2 * tripMs,
        GRACE_MS,
      ),
    );
  }
  return { bench: 'client: a lame duck is heard of', rows, checks };
}

async function once(options: Partial<ClientOptions>, isInactive: boolean) {
  const backend = await Backend.start({ kind: 'echo', port: 0 });
  const client = createClient({ ...options, backends: [backend.url] });
  try {
    const tripMs = await shortestTrip(client);
    await until(() => viaOf(client) === 'udp');
    if (isInactive) await until(() => client.snapshot().backends[0]!.connections === 0);
    const heard = lameDuckHeard(backend.url);
    const saidMs = await backend.lameDuck();
    return { heardMs: (await heard) - saidMs, tripMs };
  } finally {
    await client.destroy();
    await backend.stop();
  }
}

/** Of a check by UDP, as its answers show it: the handler of this backend waits some milliseconds, its health does not. */
async function shortestTrip(client: Client): Promise<number> {
  let shortestMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 10; i++) {
    const startedMs = performance.now();
    await (await client.request('/plimsoll/live')).body.dump();
    shortestMs = Math.min(shortestMs, performance.now() - startedMs);
  }
  return shortestMs;
}

function viaOf(client: Client): string {
  return (client.snapshot().backends[0]!.health as { via: string }).via;
}

function lameDuckHeard(url: string): Promise<number> {
  return new Promise((resolve) => {
    const onState = (message: unknown) => {
      const { backend, state } = message as { backend: string; state: string };
      if (backend !== url || state !== 'lame-duck') return;
      unsubscribe('plimsoll:client:backend-state', onState);
      resolve(performance.timeOrigin + performance.now());
    };
    subscribe('plimsoll:client:backend-state', onState);
  });
}

async function until(isSo: () => boolean): Promise<void> {
  for (const startedMs = performance.now(); !isSo(); await wait(5))
    if (performance.now() - startedMs > PATIENCE_MS) throw new Error(`waited in vain for ${isSo}`);
}
