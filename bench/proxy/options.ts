import { sectionsOf, wholeNumberOf } from '../section-flags.js';

export const PROXY_SECTIONS = ['speed', 'latency', 'idle'] as const;
export type ProxySection = (typeof PROXY_SECTIONS)[number];

export interface ProxyOptions {
  readonly only: readonly ProxySection[];
  /** Rounds of which the median counts; in each, all proxies in turn. */
  readonly runs: number;
  /** Of each proxy in each round. */
  readonly seconds: number;
}

export const PROXY_HELP = `proxy, about eight minutes, with wrk and nginx; it alone knows
  --only ${PROXY_SECTIONS.join(',')}    latency: what is added at half load, beside nginx, a proxy and a relay on Node
  --runs 5                    rounds of which the median counts
  --seconds 4                 of each proxy in each round`;

/** Its flags are flags of other benches too. */
export interface ProxyFlags {
  readonly only?: string | undefined;
  readonly runs?: string | undefined;
  readonly seconds?: string | undefined;
}

export function proxyOptions(flags: ProxyFlags): ProxyOptions {
  return {
    only: sectionsOf(PROXY_SECTIONS, flags.only),
    runs: wholeNumberOf('runs', flags.runs ?? '5'),
    seconds: wholeNumberOf('seconds', flags.seconds ?? '4'),
  };
}
