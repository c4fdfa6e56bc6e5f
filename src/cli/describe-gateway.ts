import type { GatewaySettings } from '../gateway/settings/index.js';
import { counted } from './counted.js';

/** What a gateway is told, in a few words. */
export function describeGateway({ listen, routes, limits }: GatewaySettings): string {
  const services = new Set(routes.map(({ to }) => to));
  const own = routes.flatMap((route) => route.limits).filter((limit) => typeof limit === 'object');
  const limited = Object.keys(limits).length + own.length;
  return [
    `listens on ${listen.map(({ address }) => address).join(', ')}`,
    `${counted(routes.length, 'route')} to ${counted(services.size, 'service')}`,
    ...(limited === 0 ? [] : [counted(limited, 'limit')]),
  ].join(', ');
}
