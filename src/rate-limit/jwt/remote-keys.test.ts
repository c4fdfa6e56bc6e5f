import { describe, expect, it } from 'vitest';
import { KeysUnavailableError, RemoteKeys } from './remote-keys.js';

const SET = '{"keys":[{"kty":"RSA"}]}';

/** Answers as it is told, one after the other, and the last one ever after. */
function remote(...answers: (() => Response | Promise<Response>)[]) {
  let now = 0;
  let asked = 0;
  const outages: string[] = [];
  const keys = new RemoteKeys(
    async () => answers[Math.min(asked++, answers.length - 1)]!(),
    () => now,
    ({ message }) => outages.push(message),
  );
  return {
    outages,
    asked: () => asked,
    get: async () => (await keys.get('http://issuer/keys', {})).text(),
    wait: (ms: number) => {
      now += ms;
    },
  };
}

const good = () => new Response(SET);
const down = () => Promise.reject(new TypeError('fetch failed'));

describe('RemoteKeys', () => {
  it.each([
    ['an error', down],
    ['a status', () => new Response(SET, { status: 503 })],
    ['a redirect', () => new Response(null, { status: 302 })],
    ['no JSON', () => new Response('<html>')],
    ['no set', () => new Response('{"keys":{}}')],
    ['no keys in it', () => new Response('{"keys":[5]}')],
    ['nothing', () => new Response(null)],
    ['null', () => new Response('null')],
    ['far too much', () => new Response(`{"keys":[],"x":"${'x'.repeat(2_000_000)}"}`)],
  ])('asks a host that answers with %s again after a while only', async (_, answer) => {
    const { get, wait, asked } = remote(answer, good);
    await expect(get()).rejects.toBeInstanceOf(KeysUnavailableError);
    wait(999);
    await expect(get()).rejects.toBeInstanceOf(KeysUnavailableError);
    expect(asked()).toBe(1);
    wait(1);
    expect(await get()).toBe(SET);
  });

  it('asks less and less often while the host is down, and says so once', async () => {
    const ends = [down, down, down, down, down, down, good, down];
    const { get, wait, asked, outages } = remote(...ends);
    const told = 'the keys of tokens cannot be had from "http://issuer/keys": fetch failed';
    for (const waitMs of [0, 1_000, 2_000, 4_000, 8_000, 10_000]) {
      wait(waitMs - 1);
      await expect(get()).rejects.toBeInstanceOf(KeysUnavailableError);
      wait(1);
      await expect(get()).rejects.toBeInstanceOf(KeysUnavailableError);
    }
    expect([asked(), outages]).toEqual([6, [told]]);
    wait(10_000);
    expect(await get()).toBe(SET);
    // As at first, when it fails anew.
    wait(1);
    for (const waitMs of [0, 1_000]) {
      wait(waitMs);
      expect(await get()).toBe(SET);
    }
    expect([asked(), outages]).toEqual([9, [told, told]]);
  });

  it('goes on with what it knows while the host is down, for a day', async () => {
    const { get, wait, asked } = remote(good, down);
    await get();
    wait(600_000);
    expect(await get()).toBe(SET);
    expect(await get()).toBe(SET);
    expect(asked()).toBe(2);
    wait(86_400_000);
    await expect(get()).rejects.toBeInstanceOf(KeysUnavailableError);
  });

  it('gives up when it is closed, or told to', async () => {
    for (const how of ['close', 'signal'] as const) {
      const controller = new AbortController();
      let outages = 0;
      const keys = new RemoteKeys(
        (_, { signal }) =>
          new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason))),
        () => 0,
        () => outages++,
      );
      const asked = keys.get('http://issuer/keys', { signal: controller.signal });
      if (how === 'close') keys.close();
      else controller.abort();
      await expect(asked).rejects.toBeInstanceOf(KeysUnavailableError);
      expect(outages).toBe(how === 'close' ? 0 : 1);
    }
  });
});
