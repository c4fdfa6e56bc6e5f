import { type Streamed, StressBed } from './stress-bed.js';

/** The slow service: 4 places of 50 ms serve 80 a second. More would be a test of how fast the machine is. */
const SLOW = { places: 4, workMs: 50 };
const SLOW_PER_SECOND = 80;
/** Of the slow service's route, half of what it can serve: they fit, and nothing else need be served for that. */
const CRITICAL_PER_SECOND = SLOW_PER_SECOND / 2;
const OTHERS_PER_SECOND = 100;

export interface IsolationOptions {
  readonly seconds: number;
  /** How many times what it can serve the slow service is sent. */
  readonly times: number;
  /** Further settings of the slow service. */
  readonly slow?: string;
}

export interface Isolated {
  /** The other route, while the slow one has half of what it can serve, and while it has too much. */
  readonly before: Streamed;
  readonly during: Streamed;
  readonly critical: Streamed;
  readonly sheddable: Streamed;
  /** How late the generator was. */
  readonly lagMs: number;
}

function settingsOf([fast, slow]: readonly string[], further = ''): string {
  return `
listen: 127.0.0.1:0
log: { level: off }
trustedCallers: [127.0.0.0/8]
services:
  fast: { backends: ["${fast}"] }
  slow: { backends: ["${slow}"]${further} }
routes:
  - { path: /fast, to: fast }
  - { path: /slow, to: slow }
`;
}

/** Two services behind one gateway; one of them is slow, and asked for far more than it can do. */
export async function withIsolation<T>(
  slow: string | undefined,
  use: (round: (options: IsolationOptions) => Promise<Isolated>) => Promise<T>,
): Promise<T> {
  const bed = await StressBed.start([{}, SLOW], (urls) => settingsOf(urls, slow));
  try {
    return await use((options) => isolate(bed, options));
  } finally {
    await bed.stop();
  }
}

async function isolate(bed: StressBed, { seconds, times }: IsolationOptions): Promise<Isolated> {
  const others = { name: 'others', path: '/fast', perSecond: OTHERS_PER_SECOND };
  const critical = {
    name: 'critical',
    path: '/slow',
    criticality: 'CRITICAL',
    perSecond: CRITICAL_PER_SECOND,
  };
  const sheddable = {
    name: 'sheddable',
    path: '/slow',
    criticality: 'SHEDDABLE',
    perSecond: times * SLOW_PER_SECOND - CRITICAL_PER_SECOND,
  };
  const before = await bed.round([others, critical], seconds);
  const during = await bed.round([others, critical, sheddable], seconds);
  return {
    before: before.streams['others']!,
    during: during.streams['others']!,
    critical: during.streams['critical']!,
    sheddable: during.streams['sheddable']!,
    lagMs: during.lagMs,
  };
}
