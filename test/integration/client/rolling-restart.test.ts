import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../../src/client/index.js';
import { EchoProcess } from './echo-process.js';
import { until } from './until.js';

type Method = 'GET' | 'POST';

const BACKENDS = 3;
const CALLERS = 12;

/** Callers that ask one thing after the other, in all the ways there are, and note what was not as it should be. */
class Load {
  answered = 0;
  readonly failures: { readonly method: Method; readonly why: string }[] = [];
  readonly #client: Client;
  readonly #callers: Promise<void>[];
  #count = 0;
  #isOver = false;

  constructor(client: Client) {
    this.#client = client;
    this.#callers = Array.from({ length: CALLERS }, () => this.#call());
  }

  async finish(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  async #call(): Promise<void> {
    while (!this.#isOver) {
      const id = this.#count++;
      const method = id % 2 === 0 ? 'GET' : 'POST';
      try {
        const wanted = method === 'GET' ? `/${id}` : JSON.stringify({ id });
        const text = await this.#ask(method, wanted, id);
        if (text === wanted) this.answered++;
        else this.failures.push({ method, why: `answered with ${text}` });
      } catch (error) {
        this.failures.push({ method, why: String(error) });
      }
      await wait(2);
    }
  }

  async #ask(method: Method, wanted: string, id: number): Promise<string> {
    const path = method === 'GET' ? wanted : '/';
    const isStreamed = id % 4 === 3;
    const body = method === 'GET' ? null : isStreamed ? Readable.from([wanted]) : wanted;
    if (id % 8 < 4) {
      const response = await this.#client.fetch(path, { method, body, duplex: 'half' });
      return `${response.ok ? '' : `status ${response.status}: `}${await response.text()}`;
    }
    const answer = await this.#client.request(path, { method, body });
    return `${answer.statusCode === 200 ? '' : `status ${answer.statusCode}: `}${await answer.body.text()}`;
  }
}

describe('a client whose backends are restarted', () => {
  let backends: EchoProcess[];
  let client: Client;
  let load: Load;

  beforeEach(async () => {
    backends = await Promise.all(Array.from({ length: BACKENDS }, () => EchoProcess.start()));
    client = createClient({ backends: backends.map(({ url }) => url) });
    load = new Load(client);
    await allBack();
  });

  afterEach(async () => {
    await load.finish();
    await client.destroy();
    await Promise.all(backends.map((backend) => backend.end('SIGKILL')));
  });

  /** All are there, and the client knows it: a new process is not ejected for what its predecessor broke. */
  async function allBack(): Promise<void> {
    await until('all backends are ready', () => client.snapshot().states.ready === BACKENDS);
    const { answered } = load;
    await until('requests are answered', () => load.answered >= answered + 100);
  }

  async function replace(index: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const code = await backends[index]!.end(signal);
    backends[index] = await EchoProcess.start(backends[index]!.port);
    return code;
  }

  it('loses no request when they are asked to end, one after the other', async () => {
    const codes: (number | null)[] = [];
    for (let index = 0; index < BACKENDS; index++) codes.push(await replace(index, 'SIGTERM'));
    await allBack();
    await load.finish();
    expect(codes).toEqual([0, 0, 0]);
    expect(load.failures).toEqual([]);
    expect(client.snapshot().counts.outcomes.broken).toBe(0);
  });

  it('loses nothing that may be done twice when they are killed', async () => {
    for (let index = 0; index < BACKENDS; index++) {
      const { url } = backends[index]!;
      const atIt = () => client.snapshot().backends.find((backend) => backend.url === url)!.active;
      await until('requests are there', () => atIt() > 0);
      await replace(index, 'SIGKILL');
      await allBack();
    }
    await load.finish();
    expect(load.failures.filter(({ method }) => method === 'GET')).toEqual([]);
    // Each that was lost was at a backend when that was killed, and no caller was at two.
    expect(load.failures.length).toBeLessThanOrEqual(BACKENDS * CALLERS);
    expect(client.snapshot().counts.outcomes.broken).toBeGreaterThan(0);
  });
});
