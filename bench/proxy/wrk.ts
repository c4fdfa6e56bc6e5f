import { outputOf, spawnOn } from './tools.js';

export interface Answered {
  readonly requests: number;
  readonly perSecond: number;
}

/** As many as keep a proxy busy, and no more than a guard takes for a crowd. */
const CONNECTIONS = 64;

/** What may be refused: quickly given, refusals would make a proxy look fast, but so few do not. */
const MOST_REFUSED = 0.001;

/** Until code is compiled a guarded one has less to give, and refuses. */
export async function warmUp(core: number | undefined, port: number, seconds: number): Promise<void> {
  await wrk(core, port, seconds, 1);
}

/** Asks as fast as it is answered. Throws when answers are not what they should be. */
export async function wrk(
  core: number | undefined,
  port: number,
  seconds: number,
  mostRefused = MOST_REFUSED,
): Promise<Answered> {
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, `http://127.0.0.1:${port}/`];
  const text = await outputOf(spawnOn(core, 'wrk', args));
  const [, requests] = /(\d+) requests in/.exec(text) ?? [];
  const [, perSecond] = /Requests\/sec:\s*([\d.]+)/.exec(text) ?? [];
  const [fault] = /Socket errors.*/.exec(text) ?? [];
  const [, refused = '0'] = /Non-2xx or 3xx responses: (\d+)/.exec(text) ?? [];
  if (requests === undefined || perSecond === undefined || fault !== undefined)
    throw new Error(`wrk says ${fault ?? text}`);
  if (Number(refused) > mostRefused * Number(requests))
    throw new Error(`${refused} of ${requests} were refused`);
  return { requests: Number(requests), perSecond: Number(perSecond) };
}
