import type { IncomingHttpHeaders } from 'node:http';
import { shownProblem } from '../settings/index.js';
import { type AdminTarget, NothingThereError } from './admin-target.js';
import { type AdminAnswer, json, problem, text } from './answers.js';
import { dashboardAnswer } from './dashboard-answer.js';
import type { DashboardFiles } from './dashboard-files.js';
import { furtherPaths, wholeSnapshot } from './further.js';
import { Paced } from './paced.js';

/** What is asked: a path that is known, by a method it has. */
export interface AdminCall {
  readonly headers: IncomingHttpHeaders;
  /** What stands for `{…}` at the end of the path; empty for paths without. */
  readonly name: string;
  readonly query: URLSearchParams;
}

type Act = (call: AdminCall) => AdminAnswer | Promise<AdminAnswer>;

export interface AdminPath {
  readonly path: string;
  readonly what: string;
  /**
   * Who may ask, if not only those who are known. `anybody`: probes of orchestrators are known to nobody, and learn nothing
   * that anybody could use. `page`: whoever may be shown the page.
   */
  readonly access?: 'anybody' | 'page';
  /** By method; GET is HEAD, too. `stream` is answered by whoever has the connection. */
  readonly methods: Readonly<Record<string, Act | 'stream'>>;
}

/** Longer keys are hashed before they are counted, so none of them is that long. */
const LONGEST_KEY = 1_024;

/** Prometheus' text format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** All that can be asked. */
export function adminPaths(target: AdminTarget, dashboard: DashboardFiles): readonly AdminPath[] {
  const snapshot = new Paced(() => wholeSnapshot(target).then((value) => json(value)));
  const metrics = new Paced(() =>
    target.metrics().then((body) => ({ status: 200, type: METRICS_TYPE, body })),
  );
  return [
    {
      path: '/dashboard/{file}',
      what: 'GET: the page that shows it all; browsers are led to it from /',
      access: 'page',
      methods: { GET: ({ name, headers }) => dashboardAnswer(dashboard, name, headers) },
    },
    {
      path: '/healthz',
      what: 'GET: 200 as long as the process runs',
      access: 'anybody',
      methods: { GET: () => text('ok\n') },
    },
    {
      path: '/readyz',
      what: 'GET: 200 when new requests should come here, else 503 and why not',
      access: 'anybody',
      methods: { GET: () => readyAnswer(target) },
    },
    {
      path: '/metrics',
      what: 'GET: metrics for Prometheus',
      methods: { GET: () => metrics.get() },
    },
    {
      path: '/snapshot',
      what: 'GET: what it does and why, as JSON',
      methods: { GET: () => snapshot.get() },
    },
    {
      path: '/events',
      what: 'GET: snapshots and what happens, as server-sent events; ?snapshots=false: without the first',
      methods: { GET: 'stream' },
    },
    {
      path: '/config',
      what: 'GET: settings that hold, as a file, without secrets',
      methods: { GET: async () => ({ ...text(await target.config()), type: 'application/yaml' }) },
    },
    {
      path: '/limits/{rule}',
      what: 'GET ?key=…: what is left for a key; DELETE ?key=…: as if it had never come',
      methods: { GET: (call) => limitAnswer(target, call), DELETE: (call) => resetAnswer(target, call) },
    },
    {
      path: '/queue',
      what: 'GET: what waits for its turn',
      methods: { GET: async () => json(await target.queue()) },
    },
    {
      path: '/lame-duck',
      what: 'POST: serves on, and tells clients to go elsewhere',
      methods: { POST: () => target.lameDuck().then(() => json(target.readiness())) },
    },
    {
      path: '/drain',
      what: 'POST: finishes what it has, and ends',
      methods: { POST: () => target.drain().then(() => json(target.readiness(), 202)) },
    },
    {
      path: '/reload',
      what: 'POST: reads settings and all files that they name anew',
      methods: { POST: () => reloadAnswer(target) },
    },
    ...furtherPaths(target),
  ];
}

function readyAnswer(target: AdminTarget): AdminAnswer {
  const { isReady, reason } = target.readiness();
  return isReady ? text('ready\n') : text(`${reason ?? 'not ready'}\n`, 503);
}

/** What is wrong with a file is nothing that is wrong with this port. */
async function reloadAnswer(target: AdminTarget): Promise<AdminAnswer> {
  try {
    await target.reload();
    return json({ reloaded: true });
  } catch (error) {
    if (error instanceof NothingThereError) throw error;
    return problem(422, `${shownProblem((error as Error).message)}; what held before holds on`);
  }
}

async function limitAnswer(target: AdminTarget, { name, query }: AdminCall): Promise<AdminAnswer> {
  const key = keyOf(query);
  if (typeof key === 'object') return key;
  const state = await target.limit(name, key);
  return state === undefined ? noLimit(name) : json(state);
}

async function resetAnswer(target: AdminTarget, { name, query }: AdminCall): Promise<AdminAnswer> {
  const key = keyOf(query);
  if (typeof key === 'object') return key;
  return (await target.resetLimit(name, key)) ? json({ rule: name, reset: true }) : noLimit(name);
}

function keyOf(query: URLSearchParams): string | AdminAnswer {
  const key = query.get('key') ?? '';
  if (key !== '' && key.length <= LONGEST_KEY) return key;
  return problem(400, 'key is missing: ?key=… is the key as it is counted, parts of it joined by |');
}

function noLimit(name: string): AdminAnswer {
  return problem(404, `there is no limit ${JSON.stringify(name.slice(0, 64))}`);
}
