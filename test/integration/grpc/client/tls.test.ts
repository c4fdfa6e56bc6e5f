import * as grpc from '@grpc/grpc-js';
import { guardGrpc, plimsollInterceptor, registerPolicies, serviceConfigFor } from 'plimsoll/grpc';
import { createGuard } from 'plimsoll/server';
import { afterEach, expect, it } from 'vitest';
import { tlsSecrets } from '../server/guarded-grpc.js';
import { clientOf, EchoServer, sayMany, until } from './echo-service.js';

const policies = registerPolicies(grpc);
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Guarded servers over TLS, and a client with a policy of ours. */
async function make(policy: 'weighted' | 'prequal', credentials = tlsSecrets(false).client) {
  const secrets = tlsSecrets(false);
  const servers = await Promise.all(
    Array.from({ length: 3 }, async () => {
      // Handshakes on a busy machine take long enough to be a reason to shed.
      const guard = createGuard({ health: { udp: false }, mode: 'dry-run' });
      ends.push(() => guard.drain({ spreadMs: 0, timeoutMs: 0 }));
      return new EchoServer({}, (server) => guardGrpc(server, guard)).start(0, secrets.server);
    }),
  );
  const interceptor = plimsollInterceptor({ service: 'echo' });
  const options = {
    interceptors: [interceptor],
    'grpc.ssl_target_name_override': 'orders.test',
    'grpc.service_config': serviceConfigFor(policy, { service: 'echo', subset: false }),
  };
  const client = clientOf(servers, options, credentials);
  ends.push(() => client.close());
  return { servers, client, interceptor };
}

async function expectAllServed({ servers, client, interceptor }: Awaited<ReturnType<typeof make>>) {
  const ended = await sayMany(client, 300);
  expect(ended.filter(({ error }) => error !== null)).toEqual([]);
  for (const { calls } of servers) expect(calls).toBeGreaterThan(30);
  expect(interceptor.snapshot()).toMatchObject({ running: 0, active: 0, calls: 300 });
  await until(() => policies.snapshot()[0]!.backends.every(({ active }) => active === 0));
}

it.each(['weighted', 'prequal'] as const)('%s spreads calls over backends that speak TLS', async (policy) => {
  await expectAllServed(await make(policy));
});

it('calls whose credentials take their time are counted once', async () => {
  const asked: string[] = [];
  const slow = grpc.credentials.createFromMetadataGenerator(({ service_url: url }, done) => {
    asked.push(url);
    const metadata = new grpc.Metadata();
    metadata.set('authorization', 'Bearer test');
    setTimeout(() => done(null, metadata), 2);
  });
  const { client: channel } = tlsSecrets(false);
  const made = await make('weighted', grpc.credentials.combineChannelCredentials(channel, slow));
  await expectAllServed(made);
  expect(asked.length).toBeGreaterThanOrEqual(300);
  expect(made.servers[0]!.seen.at(-1)!.get('authorization')).toEqual(['Bearer test']);
});

it('a backend whose certificate is for somebody else is no backend', async () => {
  const { servers } = await make('weighted');
  const client = clientOf(
    servers,
    {
      interceptors: [plimsollInterceptor()],
      'grpc.ssl_target_name_override': 'somebody.else',
      'grpc.service_config': serviceConfigFor('weighted', { subset: false }),
    },
    tlsSecrets(false).client,
  );
  ends.push(() => client.close());
  const [ended] = await sayMany(client, 1);
  expect(ended!.error).toMatchObject({
    code: grpc.status.UNAVAILABLE,
    cause: { code: 'PLIMSOLL_NO_BACKEND' },
  });
  expect(ended!.error!.details).toMatch(/somebody\.else/);
});
