import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { CpuMode, GuardSnapshot } from 'plimsoll/server';
import { chooseCores, forkOn } from './overload/cores.js';
import { Asked } from './overload/questions.js';
import type { Report } from './report.js';

interface Books {
  readonly truth: Record<string, { readonly busyMs: number; readonly requests: number }>;
  readonly cpu: GuardSnapshot['cpu'];
}

const CLIENTS = 50;
const SECONDS = 10;
/** The accounts are settled each second: what was used after the last time is in no book yet. */
const SETTLE_MS = 1_200;

const KINDS = ['/small', '/large'];

/** How right the accounts of requests are, against slices that handlers time themselves. */
export async function benchAccounting(): Promise<Report[]> {
  const rows = [];
  const checks = [];
  for (const mode of ['exact', 'sampled'] as const) {
    console.error(`accounting: ${mode}, ${SECONDS} s`);
    const { truth, cpu } = await measure(mode);
    for (const kind of KINDS) {
      const { busyMs, requests } = truth[kind]!;
      const account = cpu.byRoute.find(({ name }) => name === kind);
      const accountedMs = (account?.totalMs ?? 0) / (account?.requests ?? 1);
      const ratio = accountedMs / (busyMs / requests);
      rows.push({ mode, kind, requests, trueMs: busyMs / requests, accountedMs, ratio });
      checks.push(within(`${mode}, ${kind}: accounted of the truth`, ratio, 0.05));
    }
    const { requestsMs, overheadMs, otherGuardsMs, processMs } = cpu.total;
    const sum = (requestsMs + overheadMs + otherGuardsMs) / processMs;
    checks.push(within(`${mode}: requests and overhead of the process`, sum, 0.02));
  }
  return [{ bench: 'accounting', rows, checks }];
}

function within(name: string, value: number, tolerance: number) {
  return { name, value, bound: `1 ± ${tolerance}`, holds: Math.abs(value - 1) <= tolerance };
}

async function measure(mode: CpuMode): Promise<Books> {
  const cores = chooseCores();
  const server = new Asked(forkOn(cores.server, new URL('./accounting/server.js', import.meta.url)), mode);
  try {
    const port = await server.ask<number>('listen', mode);
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, (_, at) => {
      const request = `GET ${KINDS[at % KINDS.length]} HTTP/1.1\r\nhost: bench\r\n\r\n`;
      const socket = connect(port, '127.0.0.1', () => socket.write(request));
      socket.on('data', () => {
        if (!isOver) socket.write(request);
      });
      return socket;
    });
    await wait(SECONDS * 1_000);
    isOver = true;
    await wait(SETTLE_MS);
    const books = await server.ask<Books>('books');
    for (const socket of clients) socket.destroy();
    return books;
  } finally {
    await server.stop();
  }
}
