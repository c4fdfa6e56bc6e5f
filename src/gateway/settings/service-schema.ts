import * as z from 'zod';
import { checkService } from '../services/client-options.js';
import { addProblem, durationText, fileText, matching, nameText, sizeText, together } from './texts.js';

const origin = matching('an origin like "http://10.0.0.1:8080"', /^https?:\/\/[^\s\\/?#@]+\/?$/i);
const hostText = matching(
  'a host and perhaps a port',
  /^(?:[\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\])(?::\d{1,5})?$/,
);
const zoneText = matching('a zone like "eu-west-1a"', /^[\w./:-]{1,128}$/);
const protocol = z.enum(['http', 'https']);

const backend = z.union([
  origin,
  z.strictObject({ url: origin, zone: zoneText.optional(), host: hostText.optional() }),
]);

/** Where the backends are: as many ways as clients have. */
const backends = z.union([
  z.array(backend).min(1).max(10_000),
  z.strictObject({
    dns: origin.meta({ description: 'All addresses of this name.' }),
    // A process that has an address of each kind is one backend, and not two.
    family: z.union([z.literal(4), z.literal(6), z.literal('both')]).default(4),
    via: z.enum(['dns', 'lookup']).default('dns'),
  }),
  z.strictObject({
    srv: z.string().meta({ description: '_http._tcp.orders.internal' }),
    protocol: protocol.default('http'),
  }),
  z.strictObject({ file: fileText.meta({ description: 'A list in JSON or YAML, followed as it changes.' }) }),
  z.strictObject({
    kubernetes: z.strictObject({
      service: z.string(),
      namespace: z.string().optional(),
      port: z.union([z.string(), z.int()]).optional(),
      protocol: protocol.default('http'),
      apiServer: z.string().optional(),
      tokenFile: fileText.optional(),
      caFile: fileText.optional(),
    }),
  }),
]);

const subset = z.union([
  z.literal('all'),
  z.strictObject({
    size: z.int().min(1).max(10_000),
    algorithm: z.enum(['random', 'deterministic', 'rocksteadier']).optional(),
    seed: z.int().min(0).max(0xffff_ffff).default(0),
    clientId: z.int().min(0).max(0x7fff_ffff).optional().meta({
      description: 'Which of the gateways this is, from 0 without gaps; else PLIMSOLL_CLIENT_ID.',
    }),
  }),
]);

const health = z.union([
  z.literal(false),
  z.strictObject({
    // By UDP where that is answered, which Plimsoll's servers do, and else by HTTP.
    mode: z.enum(['auto', 'udp', 'http']).default('auto'),
    prefix: z.string().default('/plimsoll'),
    path: z
      .string()
      .regex(/^\/[!-"$-~]*$/, 'must be a path that begins with a slash')
      .optional()
      .meta({
        description:
          'A page whose status says how a backend is, which need not know Plimsoll: 2xx is well. Asked for by HTTP alone.',
      }),
    // HAProxy's: one bad answer is no illness, one good one no recovery.
    unhealthyAfter: z.int().min(1).max(100).default(3),
    healthyAfter: z.int().min(1).max(100).default(2),
    every: durationText.default('1s'),
    timeout: durationText.default('1s'),
  }),
]);

const localities = z.strictObject({
  own: zoneText,
  distances: z.record(zoneText, z.number().min(0)).default({}),
  capacityPerBackend: z.number().positive().optional().meta({ description: 'Requests a second.' }),
  capacityShare: z
    .number()
    .positive()
    .max(1)
    // One gateway that carries all the traffic; of four, each has a quarter.
    .default(1),
});

const throttle = z.union([
  z.literal(false),
  z.strictObject({
    // SRE ch. 21, "Client-Side Throttling".
    k: z.number().gt(1).max(100).default(2),
    window: durationText.default('2min'),
    recovery: z.enum(['window', 'streak']).default('window'),
  }),
]);

const retry = z.union([
  z.literal(false),
  z.strictObject({
    // SRE ch. 21, "Deciding to Retry": three attempts, and retries are a tenth of all requests at most.
    attempts: z.int().min(1).max(10).default(3),
    budget: z.number().min(0).max(1).default(0.1),
    // What a server reads of the body of a request that it refuses.
    maxBody: sizeText.default('64KiB'),
  }),
]);

const timeouts = z.strictObject({
  // Three SYNs are sent in the first 3 s; what is not answered in 2 is better asked elsewhere.
  connect: durationText.default('2s'),
  // As long as most proxies wait. A route may say less.
  headers: durationText.default('60s'),
  // A stream of events that is quiet for five minutes is one that nobody feeds.
  body: durationText.default('5min'),
  // Servers of ours keep idle connections for 75 s: the client is the first to let go.
  idle: durationText.default('60s'),
});

const tls = z.strictObject({
  ca: fileText
    .optional()
    .meta({ description: 'PEM: who signs certificates of backends; else those of the system.' }),
  cert: fileText.optional().meta({ description: 'PEM: who we are.' }),
  key: fileText.optional(),
  serverName: matching('a host', /^[\w.-]{1,253}$/).optional(),
});

const parts = z.strictObject({
  backends,
  // By what backends report, or by how they answer.
  policy: z.enum(['round-robin', 'least-loaded', 'weighted', 'prequal']).default('weighted'),
  // A gateway is one of few clients, and knows all backends.
  subset: subset.default('all'),
  health: health.prefault({}),
  localities: localities.optional(),
  throttle: throttle.prefault({}),
  retry: retry.prefault({}),
  timeouts: timeouts.prefault({}),
  tls: tls.optional(),
  http2: z.boolean().default(false).meta({
    description: 'HTTP/2 to backends, with TLS or without: what gRPC takes.',
  }),
  host: z
    .union([z.literal('backend'), z.literal('request'), hostText])
    // Virtual hosts, redirects and cookies go by the name that the client asked for.
    .default('request')
    .meta({
      description: 'The Host that backends are told: their own, the one that was asked for, or this one.',
    }),
  // SRE ch. 20, "Flow Control".
  activeLimit: z.int().min(1).max(100_000).default(100),
  concurrency: z
    .union([z.literal('adaptive'), z.int().min(1).max(1_000_000)])
    .optional()
    .meta({
      description:
        'Requests that wait for an answer at once, at all backends together; adaptive: found out. Beyond it the least critical are refused first.',
    }),
});

export type ServiceSettings = z.output<typeof parts>;

export const serviceSchema = parts.superRefine(together(checkParts));

export const servicesSchema = z
  .record(nameText, serviceSchema)
  .refine((services) => Object.keys(services).length <= 1_000, 'must be 1000 services at most')
  .default({})
  .meta({ description: 'Named sets of backends. A route may name one, or a backend itself.' });

/** What a route has that names a backend itself: all as it is when nothing is said. */
export function plainService(url: string): ServiceSettings {
  return serviceSchema.parse({ backends: [url] });
}

/** What shows only when all parts are seen together. */
function checkParts(service: ServiceSettings, context: z.RefinementCtx): void {
  const report = (path: PropertyKey[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  const { tls, http2, health: asked, localities: zones } = service;
  if ((tls?.cert === undefined) !== (tls?.key === undefined)) {
    const missing = tls?.cert === undefined ? 'cert' : 'key';
    report(['tls'], `${missing} is missing: cert and key go together`);
  }
  if (http2 && asked !== false && asked.path !== undefined)
    report(['health', 'path'], 'cannot be asked for with http2: pages are asked for by HTTP/1.1');
  if (http2 && asked !== false && asked.mode === 'http')
    report(['health', 'mode'], 'must be udp or auto with http2: pages are asked for by HTTP/1.1, got "http"');
  if (zones !== undefined && isWithoutZones(service.backends))
    report(
      ['localities', 'own'],
      'needs backends with a zone, like { url: "http://10.0.0.1:8080", zone: eu }',
    );
  addProblem(context, () => checkService(service));
}

/** What is found elsewhere may have zones; all of this list is in none, and so none is nearer than another. */
function isWithoutZones(backends: ServiceSettings['backends']): boolean {
  return (
    Array.isArray(backends) && backends.every((one) => typeof one === 'string' || one.zone === undefined)
  );
}
