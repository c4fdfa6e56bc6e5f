import type { GatewayEvent } from 'plimsoll/gateway';
import type { SseMessage } from './sse-parser.js';

/** Something that has happened to the gateway, as its list and the marks on the charts show it. */
export interface Happening {
  readonly id: string;
  /** Of this page's clock. */
  readonly atMs: number;
  readonly kind: string;
  readonly tone: 'good' | 'warn' | 'bad' | 'plain';
  /** For a mark: a word or two. */
  readonly label: string;
  readonly sentence: string;
}

const TONES: Readonly<Record<string, Happening['tone']>> = {
  ready: 'good',
  new: 'plain',
  connecting: 'plain',
  'lame-duck': 'warn',
  unhealthy: 'warn',
  refusing: 'warn',
  ejected: 'bad',
  gone: 'bad',
};

/** Undefined for what is none: a snapshot, or JSON that cannot be read. */
export function happeningOf(
  { event, id, data }: SseMessage,
  skewMs: number,
  nameOf: (backend: string) => string = (url) => url.replace(/^https?:\/\//, ''),
): Happening | undefined {
  const fields = parsed(data);
  if (event === 'snapshot' || fields === undefined) return undefined;
  const told = { kind: event, ...fields } as GatewayEvent;
  return { id, atMs: fields.atMs + skewMs, kind: event, ...describe(told, nameOf) };
}

function parsed(data: string): { readonly atMs: number } | undefined {
  try {
    const fields = JSON.parse(data) as { atMs?: unknown };
    return typeof fields.atMs === 'number' ? { ...fields, atMs: fields.atMs } : undefined;
  } catch {
    return undefined;
  }
}

type Described = Pick<Happening, 'tone' | 'label' | 'sentence'>;

function describe(event: GatewayEvent, nameOf: (backend: string) => string): Described {
  switch (event.kind) {
    case 'backend': {
      const name = nameOf(event.backend);
      const sentence = `${name} of ${event.service} is ${words(event.state)}; before: ${words(event.before)}.`;
      return { tone: TONES[event.state] ?? 'plain', label: `${name} ${words(event.state)}`, sentence };
    }
    case 'lame-duck':
      return {
        tone: 'warn',
        label: 'lame duck',
        sentence: 'Lame duck: serves on, and sends clients elsewhere.',
      };
    case 'drain':
      return { tone: 'warn', label: 'drain', sentence: 'Drains: finishes what it has, then ends.' };
    case 'reload':
      return { tone: 'good', label: 'reload', sentence: 'New settings hold.' };
    case 'reload-failed':
      return { tone: 'bad', label: 'reload failed', sentence: `Settings stay as they were: ${event.reason}` };
    case 'resolver':
      return event.reason === undefined
        ? {
            tone: 'good',
            label: `${event.service} found`,
            sentence: `Backends of ${event.service} are found again.`,
          }
        : {
            tone: event.known > 0 ? 'warn' : 'bad',
            label: `${event.service} not found`,
            sentence: `Backends of ${event.service} cannot be looked up: ${event.reason}`,
          };
    case 'limit-store':
      return event.isReachable
        ? { tone: 'good', label: 'store back', sentence: 'The store that limits count in answers again.' }
        : { tone: 'bad', label: 'store lost', sentence: 'The store that limits count in does not answer.' };
    case 'quota-coordinator':
      return event.isCoordinator
        ? { tone: 'plain', label: 'coordinator', sentence: 'This process divides quotas for the fleet now.' }
        : { tone: 'plain', label: 'no coordinator', sentence: 'Another process divides quotas now.' };
    case 'quota-stage':
      return {
        tone: 'plain',
        label: `quota ${event.stage}`,
        sentence: `Quotas hold by another rule: ${event.stage}.`,
      };
    case 'worker-started':
      return {
        tone: 'good',
        label: `worker ${event.worker}`,
        sentence: `Worker ${event.worker} serves, pid ${event.pid}.`,
      };
    case 'worker-died': {
      const how = event.signal ?? `code ${event.code}`;
      return {
        tone: 'bad',
        label: `worker ${event.worker} died`,
        sentence: `Worker ${event.worker} ended: ${how}.`,
      };
    }
    default: {
      // Of a newer version, or of the demo.
      const { kind, sentence } = event as { kind: string; sentence?: string };
      return { tone: 'plain', label: words(kind), sentence: sentence ?? words(kind) };
    }
  }
}

function words(name: string): string {
  return name.replaceAll('-', ' ');
}
