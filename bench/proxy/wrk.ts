import { outputOf, spawnOn } from './tools.js';

export interface Answered {
  readonly requests: number;
  readonly perSecond: number;
}

/** As many as keep a proxy busy, and no more than a guard takes for a crowd. */
const CONNECTIONS = 64;

/** Asks as fast as it is answered. Throws when an answer is not what it should be: a refusal is quickly given. */
export async function wrk(core: number | undefined, port: number, seconds: number): Promise<Answered> {
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, `http://127.0.0.1:${port}/`];
  const text = await outputOf(spawnOn(core, 'wrk', args));
  const [, requests] = /(\d+) requests in/.exec(text) ?? [];
  const [, perSecond] = /Requests\/sec:\s*([\d.]+)/.exec(text) ?? [];
  const [fault] = /(?:Non-2xx|Socket errors).*/.exec(text) ?? [];
  if (requests === undefined || perSecond === undefined || fault !== undefined)
    throw new Error(`wrk says ${fault ?? text}`);
  return { requests: Number(requests), perSecond: Number(perSecond) };
}
