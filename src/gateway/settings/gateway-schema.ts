import * as z from 'zod';
import { withSecrets } from '../../config/index.js';
import { checkSettings } from './cross-checks.js';
import { identitySchema } from './identity-schema.js';
import { limitsSchema } from './limit-schema.js';
import { adminSchema, listenSchema } from './listen-schema.js';
import { drainSchema, logSchema, overloadSchema, queueSchema } from './overload-schema.js';
import { nameRoutes } from './route-names.js';
import { routeSchema } from './route-schema.js';
import { SECRETS } from './secrets.js';
import { servicesSchema } from './service-schema.js';
import { durationText, fileText, networkText, together } from './texts.js';

const redisUrl = z
  .string()
  // It may have a password: what is wrong with it is not shown.
  .refine(isRedisUrl, 'must be a URL like redis://user:password@host:6379, special letters escaped');

function isRedisUrl(text: string): boolean {
  return URL.canParse(text) && ['redis:', 'rediss:'].includes(new URL(text).protocol);
}

const redisUrls = [redisUrl, z.array(redisUrl).min(1).max(100)] as const;

const redis = z
  .union([
    ...redisUrls,
    z.strictObject({
      url: z.union(redisUrls),
      // Redis nearby answers within 1 to 2 ms; who is 25 times as slow is in trouble, and a request bears 50 ms.
      timeout: durationText.default('50ms').meta({ description: 'How long a request waits for it.' }),
    }),
  ])
  .transform((given): RedisSettings => {
    return typeof given === 'string' || Array.isArray(given) ? { url: given, timeout: '50ms' } : given;
  });

export interface RedisSettings {
  url: string | string[];
  timeout: string;
}

const shape = {
  listen: listenSchema,
  routes: z
    .array(routeSchema)
    .min(1)
    .max(5_000)
    .transform(nameRoutes)
    .meta({ description: 'What goes where: the first that fits.' }),
  services: servicesSchema,
  limits: limitsSchema,
  identity: identitySchema,
  trustedProxies: z
    .union([z.int().min(0).max(16), z.array(networkText).max(1_000)])
    // What nobody vouches for anybody can write.
    .default(0)
    .meta({ description: 'Whose X-Forwarded-For is believed: networks, or how many proxies are in front.' }),
  trustedCallers: z
    .array(networkText)
    .max(1_000)
    // At the edge nobody is.
    .default([])
    .meta({ description: 'Whose word on criticality, deadline and customer is believed.' }),
  redis: redis.optional().meta({
    description: 'Where limits, quotas and the queue are shared. Several URLs: nodes of a Cluster.',
  }),
  quota: z
    .strictObject({ file: fileText })
    .optional()
    .meta({ description: 'A file of quotas, followed as it changes. Its unit is cpu or requests.' }),
  queue: queueSchema,
  overload: overloadSchema,
  drain: drainSchema,
  admin: adminSchema,
  workers: z
    .union([z.literal('auto'), z.int().min(1).max(256)])
    // One core carries some ten thousand requests a second.
    .default(1)
    .meta({ description: 'Processes; auto: one for each core.' }),
  log: logSchema,
};

const whole = z.strictObject(shape).superRefine(together(checkSettings));

/** What a file for `plimsoll gateway` may say. */
export const gatewaySchema = withSecrets(SECRETS, whole);

/** All of it, with what was not said filled in; still as it is written in a file. */
export type GatewaySettings = z.output<typeof gatewaySchema>;

export const GATEWAY_KEYS: readonly string[] = Object.keys(shape);
