import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Streamed } from '../../integration/gateway/stress/stress-bed.js';
import { atLeast, atMost, type Fault, type Finding, kept, none, shown } from '../fault.js';
import type { Stage } from '../stage.js';
import { AttackedServer } from '../tools/attacked-server.js';
import {
  type Attacked,
  Attackers,
  abort,
  floodHeaders,
  halfClose,
  pipeline,
  readNothing,
  sayNothing,
  sendGarbage,
  sendNonsense,
  slowly,
} from '../tools/attackers.js';

/** Shorter than by default (15 and 300 s), so that they are seen to end it. */
const HEADERS_MS = 2_000;
const REQUEST_MS = 4_000;
/** The guard looks once a second. */
const LOOK_MS = 1_500;

const PER_SECOND = 100;
const BEFORE_SECONDS = 3;
const DURING_SECONDS = 8;
/** Of an attack that keeps nothing: the heap of a process that begins to work grows by as much. */
const MOST_MB = 150;

interface Attack {
  readonly name: string;
  readonly what: string;
  readonly connections: number;
  readonly act: (socket: Socket, isOver: () => boolean) => Promise<unknown>;
  readonly socket?: { readonly allowHalfOpen?: boolean };
  /** What the server is told that its utilization is. */
  readonly level?: number;
  readonly found: (seen: Attacked) => readonly Finding[];
}

/** Of what it was before: a machine that is busy with other things lets go of some at any time. */
const LEAST_SHARE = 0.95;

export function goodputHolds(before: Streamed, during: Streamed): Finding {
  const share = ({ statuses, sent }: Streamed) => (100 * (statuses['200'] ?? 0)) / sent;
  return kept(
    `of well-behaved requests are served, of the share before the attack: at least ${100 * LEAST_SHARE} %`,
    `${shown(share(before))} % before, ${shown(share(during))} % during; p99 ${shown(before.p99Ms, 'ms')} and ${shown(during.p99Ms, 'ms')}`,
    share(before) > 0 && share(during) >= LEAST_SHARE * share(before),
  );
}

async function endure(stage: Stage, attack: Attack): Promise<Finding[]> {
  const limits = { headersTimeoutMs: HEADERS_MS, requestTimeoutMs: REQUEST_MS };
  const server = await stage.start(AttackedServer.start({ limits }));
  const good = { path: '/', perSecond: PER_SECOND, criticality: 'CRITICAL_PLUS' };
  await server.level(attack.level ?? 0);
  const before = await server.stream(good, BEFORE_SECONDS);
  const { rssBytes } = await server.usage();
  const attackers = await stage.start(
    new Attackers(server.port, attack.connections, attack.act, attack.socket),
  );
  const rss = setInterval(() => void server.usage().catch(() => {}), 500);
  stage.own(rss, clearInterval);
  await sleep(1_000);
  const during = await server.stream(good, DURING_SECONDS);
  await attackers.stop();
  await server.level(0);
  const idleMs = await server.untilIdle(20_000);
  clearInterval(rss);
  return [
    goodputHolds(before, during),
    ...attack.found(attackers.seen),
    atMost('memory grows by', (server.mostRssBytes - rssBytes) / 2 ** 20, MOST_MB, 'MB'),
    atMost('in flight is 0 again, when it is over, after', idleMs / 1_000, 5, 's'),
  ];
}

const answers = ({ statuses }: Attacked, isWrong: (status: number) => boolean) =>
  Object.entries(statuses).reduce((sum, [status, count]) => sum + (isWrong(Number(status)) ? count : 0), 0);

const cutOff = (withinMs: number) => (seen: Attacked) => [
  atMost('a connection lives for', seen.longestMs / 1_000, (withinMs + LOOK_MS) / 1_000, 's'),
  atLeast('connections that were cut off, and came again', seen.opened, 1),
];

const ATTACKS: readonly Attack[] = [
  {
    name: 'slow-headers',
    what: `300 connections send their headers byte by byte, five a second; headersTimeoutMs ${HEADERS_MS}`,
    connections: 300,
    act: slowly('GET / HTTP/1.1\r\nhost: x\r\n', 'x: y\r\n'),
    found: cutOff(HEADERS_MS),
  },
  {
    name: 'slow-bodies',
    what: `300 connections send their bodies byte by byte, five a second; requestTimeoutMs ${REQUEST_MS}`,
    connections: 300,
    act: slowly('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n', 'x'),
    found: cutOff(REQUEST_MS),
  },
  {
    name: 'slow-readers',
    what: `200 connections ask for 8 MB each and read nothing; requestTimeoutMs ${REQUEST_MS}`,
    connections: 200,
    act: readNothing,
    // A socket that is paused does not see its end before it has read what lies before: the server's view counts.
    found: (seen) => [atLeast('connections that asked', seen.opened, 200)],
  },
  {
    name: 'header-flood',
    what: '100 connections send 3,000 headers each, again and again',
    connections: 100,
    act: floodHeaders,
    found: (seen) => [
      none(
        'answers other than 431',
        answers(seen, (status) => status !== 431),
        answers(seen, () => true),
      ),
    ],
  },
  {
    name: 'idle-connections',
    what: `4,000 connections say nothing; headersTimeoutMs ${HEADERS_MS}`,
    connections: 4_000,
    act: sayNothing,
    found: cutOff(HEADERS_MS),
  },
  {
    name: 'half-open-connections',
    what: '1,000 connections send half of a request, end their half of the connection, and stay',
    connections: 1_000,
    act: halfClose,
    socket: { allowHalfOpen: true },
    found: cutOff(HEADERS_MS),
  },
  {
    name: 'garbage-tcp',
    what: '50 connections send noise, TLS hellos, HTTP/2 prefaces, answers, broken chunks, two lengths, no host',
    connections: 50,
    act: sendGarbage,
    found: (seen) => [
      none(
        'answers of 500 and above',
        answers(seen, (status) => status >= 500),
        answers(seen, () => true),
      ),
    ],
  },
  {
    name: 'malformed-headers',
    what: '20 connections send criticalities, deadlines, attempts, customers and baggage that make no sense',
    connections: 20,
    act: sendNonsense,
    found: (seen) => [
      none(
        'answers other than 200, and 504 to a deadline below 0',
        answers(seen, (status) => status !== 200 && status !== 504),
        answers(seen, () => true),
      ),
    ],
  },
  {
    name: 'abort-storm',
    what: '100 connections ask for what takes 20 to 60 ms, half of them with half a body, and are reset within 15 ms',
    connections: 100,
    act: abort,
    found: (seen) => [atLeast('connections that were reset', seen.opened, 1_000)],
  },
  {
    name: 'pipelined-under-refusal',
    what: '20 connections pipeline 500 sheddable requests a second each, to a server that refuses all that is sheddable',
    connections: 20,
    act: pipeline,
    level: 1.1,
    found: (seen) => [
      none(
        'answers other than 503',
        answers(seen, (status) => status !== 503),
        answers(seen, () => true),
      ),
    ],
  },
];

export const ATTACK_FAULTS: readonly Fault[] = ATTACKS.map((attack) => ({
  name: attack.name,
  what: attack.what,
  withinSeconds: 60,
  run: (stage) => endure(stage, attack),
}));
