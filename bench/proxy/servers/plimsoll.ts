import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createClient } from 'plimsoll/client';
import { createRateLimits } from 'plimsoll/rate-limit';
import { createGuard } from 'plimsoll/server';
import { listen } from './listen.js';

type Forward = (
  req: IncomingMessage,
  res: ServerResponse,
  target: object,
  headers?: readonly string[],
) => void;

/** The part of the gateway that forwards is no export of the package. */
const FORWARDING = new URL('../../../../dist/gateway/forwarding/index.js', import.meta.url);

/** All that a gateway does with a request: guard, a rate limit, balancing, load reports, metrics. */
export async function listenPlimsoll(backend: string): Promise<number> {
  const { forward } = (await import(FORWARDING.href)) as { forward: Forward };
  const client = createClient({ backends: [backend], health: false, refusals: 'throw' });
  const limits = createRateLimits({
    rules: [{ name: 'per-address', key: 'ip', algorithm: 'gcra', limit: 1_000_000_000, windowMs: 1_000 }],
  });
  const target = { client, host: 'backend', protocol: 'http' };
  // A core that is full is what is measured here, and not what becomes of requests then.
  const guard = createGuard({ health: false, context: 'off', mode: 'dry-run' });
  const server = createServer(
    guard.protect(async (req, res) => {
      const { headers } = await limits.decide({
        method: req.method ?? 'GET',
        url: req.url ?? '/',
        address: req.socket.remoteAddress,
        header: () => undefined,
      });
      forward(req, res, target, headers);
    }),
  );
  guard.attach(server);
  return listen(server);
}
