import cluster from 'node:cluster';
import { QUOTA_SETTINGS } from '../../quota/index.js';
import { readProcessLimits } from '../../server/signals/cgroup.js';
import type { AdminTarget } from '../admin/admin-target.js';
import { gatewayTarget } from '../admin/gateway-target.js';
import { createGateway, type Gateway } from '../gateway.js';
import { guardOptionsOf } from '../guard-settings.js';
import { type GatewayLog, openLog } from '../logging/index.js';
import { Channel, type Frame, sentError } from './channel.js';
import { boundConnections } from './connection-bound.js';
import { PRIMARY_TIMEOUT_MS, PrimaryStore } from './primary-store.js';
import { levelsOf, type SentLevels, sendUsage } from './quota-messages.js';
import type { SentSettings } from './reload-all.js';
import type { SentAnswer } from './store-messages.js';
import { WorkerEnd } from './worker-end.js';
import { ADMIN_QUESTIONS, type AdminMessage, type StartMessage } from './worker-messages.js';
import { WORKER_MARK } from './worker-pool.js';
import { WorkerReload } from './worker-reload.js';

/** The primary has nothing else to do; whoever is not answered by then is nobody's worker. */
const ASK_MS = 30_000;

/** What is sent by events, besides what the primary tells itself. */
const OWN_EVENTS: readonly string[] = [
  'backend',
  'resolver',
  'limit-store',
  'quota-coordinator',
  'quota-stage',
];

/** Whether this process is a worker of a gateway. */
export function isGatewayWorker(environment = process.env): boolean {
  return cluster.isWorker && environment[WORKER_MARK] !== undefined;
}

/**
 * A gateway as the primary wants it, until it wants it no more; the process ends then. `isExpected`: whether a line is
 * enough to say why it cannot start.
 */
export async function runWorker(isExpected: (error: unknown) => boolean): Promise<void> {
  let running: Worker | undefined;
  const channel = new Channel(send, {
    prepare: (sent: SentSettings) => running!.reload.prepare(sent),
    apply: () => running!.reload.apply(),
    discard: () => running!.reload.discard(),
    levels: (levels: SentLevels) => running?.gateway.quota?.hear(levelsOf(levels), performance.now()),
    admin: (message: AdminMessage) => answerAdmin(running!.target, message),
    reopen: () => running?.log?.reopen(),
    retire: () => running!.end.retire(),
    drain: () => running!.end.drain(),
  });
  process.on('message', (value) => channel.receive(value));
  // Node would end this process as soon as the primary is gone, with all that it serves.
  cluster.worker!.exitedAfterDisconnect = true;
  process.once('disconnect', () => {
    channel.close('the primary is gone');
    if (running === undefined) process.exit(1);
    running.end.orphan();
  });
  ignoreSignals(channel);
  try {
    const given = await channel.ask<StartMessage>('start', undefined, ASK_MS);
    running = await make(channel, given);
    await serve(channel, running, given);
  } catch (error) {
    await channel
      .ask('failed', { ...sentError(error), isExpected: isExpected(error) }, ASK_MS)
      .catch(() => {});
    process.exit(2);
  }
}

interface Worker {
  readonly gateway: Gateway;
  readonly target: AdminTarget;
  readonly reload: WorkerReload;
  readonly end: WorkerEnd;
  readonly log: GatewayLog | undefined;
}

async function make(channel: Channel, given: StartMessage): Promise<Worker> {
  const { settings, directory } = given;
  const log = await openLog(settings, directory);
  const gateway = await makeGateway(channel, given, log);
  boundConnections(settings.overload.maxConnections, gateway.connectionRefused);
  const reload = new WorkerReload(gateway);
  const end = new WorkerEnd(gateway, { begins: () => reload.discard(), ends: () => log?.close() });
  const target = gatewayTarget(gateway, {
    reload: unasked,
    end: unasked,
    onError: log?.error ?? console.error,
  });
  return { gateway, target, reload, end, log };
}

async function serve(channel: Channel, { gateway }: Worker, given: StartMessage): Promise<void> {
  let version: number | undefined = given.version;
  while (version !== undefined) version = await catchUp(channel, gateway, version);
  if (given.isLameDuck) gateway.lameDuck();
  gateway.events.on((event) => {
    if (OWN_EVENTS.includes(event.kind)) channel.tell('event', event);
  });
  if (given.settings.redis === undefined) reportUsage(channel, gateway);
  const listening = await gateway.listen();
  channel.tell('ready', { listening });
}

/** Says what it has made; returns which settings it holds after that, undefined when they are the ones that hold. */
async function catchUp(channel: Channel, gateway: Gateway, version: number): Promise<number | undefined> {
  const newer = await channel.ask<SentSettings | null | undefined>('made', { version }, ASK_MS);
  if (newer === null || newer === undefined) return undefined;
  await gateway.reload(newer.settings);
  return newer.version;
}

function makeGateway(
  channel: Channel,
  { settings, directory, place }: StartMessage,
  log: GatewayLog | undefined,
): Promise<Gateway> {
  const { processors, memoryBytes } = readProcessLimits();
  return createGateway(settings, {
    directory,
    log,
    processes: place.workers,
    ...(settings.redis === undefined
      ? { store: primaryStore(channel), storeTimeoutMs: PRIMARY_TIMEOUT_MS }
      : {}),
    guard: {
      // All workers share what the control group allows.
      signals: {
        cpu: { processors: processors / place.workers },
        memory: { limitBytes: memoryBytes / place.workers },
      },
      // See `boundConnections`.
      limits: { ...guardOptionsOf(settings).limits, maxConnections: Number.MAX_SAFE_INTEGER },
    },
    ...(log === undefined ? {} : { onError: log.error }),
    onProblem: ({ message }) => channel.tell('problem', { message }),
  });
}

function primaryStore(channel: Channel): PrimaryStore {
  return new PrimaryStore((asks, timeoutMs) => channel.ask<readonly SentAnswer[]>('rate', asks, timeoutMs));
}

function reportUsage(channel: Channel, { quota }: Gateway): void {
  if (quota === undefined) return;
  setInterval(
    () => channel.tell('usage', sendUsage(quota.report(performance.now()))),
    QUOTA_SETTINGS.everyMs,
  ).unref();
}

function answerAdmin(target: AdminTarget, { question, args }: AdminMessage): unknown {
  if (!ADMIN_QUESTIONS.includes(question)) throw new Error(`nobody answers ${question}`);
  const [rule = '', key = ''] = args;
  return target[question](rule, key);
}

/** Whoever wants this asks the primary. */
function unasked(): Promise<void> {
  return Promise.reject(new Error('ask the primary'));
}

/**
 * Signals are for the primary, which says what is to be done. A terminal or a service manager sends them to all processes at
 * once, and a worker that went by itself would leave before the others have heard. One that gets SIGTERM alone is
 * replaced by the primary.
 */
function ignoreSignals(channel: Channel): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => channel.tell('leaving'));
  for (const signal of ['SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {});
}

function send(frame: Frame): void {
  // A pipe that closes meanwhile is told of by `disconnect`.
  if (process.connected) process.send?.(frame, undefined, undefined, () => {});
}
