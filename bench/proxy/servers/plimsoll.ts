import { createGateway, parseGatewaySettings } from 'plimsoll/gateway';
import { countBy } from './listen.js';

/** A gateway as people run it: guard, a rate limit, balancing, load reports, metrics. */
export async function listenPlimsoll(backend: string): Promise<number> {
  const file = `
listen: 127.0.0.1:0
routes:
  - path: /*
    to: backend
    limits: [{ name: per-address, key: ip, algorithm: gcra, rate: 1000000000/s }]
services:
  backend: { backends: ["${backend}"], health: false }
log: { level: off }
`;
  const gateway = await createGateway(parseGatewaySettings(file, 'bench.yaml', {}));
  const [at] = await gateway.listen();
  countBy(() => gateway.guard.snapshot().connections);
  return at!.port;
}
