import { describe, expect, it } from 'vitest';
import { createClient } from '../client.js';
import type { LeasedClientId } from '../client-id.js';
import type { ClientOptions } from '../client-options.js';
import type { ResolverListener } from '../resolving/index.js';

/** A client of a service that has no backends, and waits for its number. */
function setUp(options: Partial<ClientOptions> = {}) {
  let resolve!: (leased: LeasedClientId) => void;
  let reject!: (error: Error) => void;
  const leased = new Promise<LeasedClientId>((...settle) => {
    [resolve, reject] = settle;
  });
  const resolver: ClientOptions['backends'] = {
    name: 'empty',
    start: ({ onBackends }) => onBackends([]),
    refresh() {},
    close() {},
  };
  const client = createClient({
    backends: resolver,
    health: false,
    clientId: { lease: () => leased },
    ...options,
  });
  let released = 0;
  const release = () => {
    released++;
  };
  const give = (id: number) => resolve({ id, release });
  return { client, give, reject, released: () => released };
}

/** Lets everything go on that can; a rejection that nobody handles fails the run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a client that is given its number', () => {
  it('holds its first requests until it has it, and gives it back when it is closed', async () => {
    const { client, give, released } = setUp();
    const first = client.fetch('/');
    first.catch(() => {});
    await settle();
    expect(client.snapshot().waiting).toBe(1);
    give(3);
    await expect(first).rejects.toMatchObject({ code: 'PLIMSOLL_NO_BACKEND' });
    expect(released()).toBe(0);
    await client.close();
    expect(released()).toBe(1);
  });

  it('gives it back at once when it comes too late', async () => {
    const { client, give, released } = setUp();
    await client.close();
    give(3);
    await settle();
    expect(released()).toBe(1);
  });

  it.each(['rocksteadier', 'deterministic', undefined] as const)(
    'works without one when none is to be had, and %s subsets become random',
    async (algorithm) => {
      const { client, reject } = setUp({ subset: { size: 5, algorithm } });
      const first = client.fetch('/');
      reject(new Error('the store is gone'));
      // The service is empty, and no longer unknown.
      await expect(first).rejects.toMatchObject({ code: 'PLIMSOLL_NO_BACKEND' });
      await expect(first).rejects.not.toThrow('known yet');
      expect(client.snapshot().counts.resolverErrors).toBe(1);
      await client.close();
    },
  );
});

it('a resolver that could not find out, and finds the same again, is no error any more', async () => {
  let listener!: ResolverListener;
  const resolver: ClientOptions['backends'] = {
    name: 'by hand',
    start: (given) => {
      listener = given;
    },
    refresh() {},
    close() {},
  };
  const client = createClient({ backends: resolver, health: false });
  listener.onBackends([]);
  listener.onError(new Error('the name server is gone'));
  expect(client.snapshot().resolverError).toBe('the name server is gone');
  listener.onBackends([]);
  expect(client.snapshot().resolverError).toBeUndefined();
  await client.close();
});
