/** Of what `createQuota` puts together, that which can be stopped and begun again: no subpath has it. */
const built = (path: string) => import(new URL(`../../../dist/${path}`, import.meta.url).href);

type Loop = typeof import('../../dist/quota/member-loop.js');
type Link = typeof import('../../dist/stores/redis/redis-link.js');
type Exchange = typeof import('../../dist/stores/redis/quota-exchange.js');
type Subscriber = typeof import('../../dist/stores/redis/redis-subscriber.js');

export const parts = {
  ...(await built('quota/member-loop.js')),
  ...(await built('stores/redis/redis-link.js')),
  ...(await built('stores/redis/quota-exchange.js')),
  ...(await built('stores/redis/redis-subscriber.js')),
} as Loop & Link & Exchange & Subscriber;

export type MemberLoop = InstanceType<Loop['MemberLoop']>;
export type RedisLink = InstanceType<Link['RedisLink']>;
export type RedisQuotaExchange = InstanceType<Exchange['RedisQuotaExchange']>;
