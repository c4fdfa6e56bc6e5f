import { CUSTOMERS } from '../customers.js';
import type { LoadOutcome } from './load-meter.js';
import type { Sender } from './sender.js';

/** Four for each of six backends: so that also the fastest has somebody to serve while others stand with the slowest. */
const CLIENTS = 24;
/** Part of the time: code is compiled, connections are made, weights are learned. */
const WARM_UP = 0.4;
/** Who is refused does not ask again at once: it would measure how fast refusals are. */
const PAUSE_MS = 5;

/** What is served to clients that ask again as soon as they are answered: all that the fleet can do, and no more. */
export function measureCapacity(sender: Sender, ms: number): Promise<number> {
  const beginMs = performance.now();
  const fromMs = beginMs + WARM_UP * ms;
  const endMs = beginMs + ms;
  let served = 0;
  let asking = CLIENTS;
  return new Promise((resolve) => {
    const ask = (client: number) => {
      const now = performance.now();
      if (now >= endMs) {
        asking--;
        if (asking === 0) resolve((served * 1_000) / (endMs - fromMs));
        return;
      }
      const request = {
        customer: CUSTOMERS[client % CUSTOMERS.length]!,
        criticality: 'CRITICAL',
        path: '/page?cost=1',
      } as const;
      sender.send(request, now, (outcome: LoadOutcome) => {
        const endedMs = performance.now();
        if (outcome === 'served' && endedMs >= fromMs && endedMs < endMs) served++;
        if (outcome === 'served') ask(client);
        else setTimeout(() => ask(client), PAUSE_MS);
      });
    };
    for (let client = 0; client < CLIENTS; client++) ask(client);
  });
}
