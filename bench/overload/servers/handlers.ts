import { setTimeout as wait } from 'node:timers/promises';

/** What a request costs its server. Nothing is returned by what is done at once. */
export type Handler = () => void | Promise<void>;

/** How many requests are, and how many have at most been, inside the handler. */
export const running = { now: 0, most: 0 };

/** By the clock, so that each request costs the same on any machine and beside any neighbour. */
function useCpu(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

/** 1 ms of CPU in four slices between three waits. */
async function waitInBetween(): Promise<void> {
  for (let slice = 0; slice < 3; slice++) {
    useCpu(0.25);
    await wait(5);
  }
  useCpu(0.25);
}

const DEPENDENCY_MS = 100;
/** As a database with that many connections: 500 answers a second, and whoever comes besides waits in line. */
export const DEPENDENCY_SLOTS = 50;

let slotsInUse = 0;
const line: (() => void)[] = [];

async function askDependency(): Promise<void> {
  if (slotsInUse === DEPENDENCY_SLOTS) await new Promise<void>((resolve) => line.push(resolve));
  else slotsInUse++;
  await wait(DEPENDENCY_MS);
  const next = line.shift();
  if (next === undefined) slotsInUse--;
  else next();
}

const HANDLERS = {
  hello: () => {},
  sync: () => useCpu(2),
  async: waitInBetween,
  dependency: askDependency,
} satisfies Record<string, Handler>;

export type HandlerName = keyof typeof HANDLERS;

function leave(): void {
  running.now--;
}

/** The handler of that name, counted. */
export function handlerNamed(name: HandlerName): Handler {
  const handler: Handler = HANDLERS[name];
  if (name === 'hello') return handler;
  return () => {
    running.now++;
    if (running.now > running.most) running.most = running.now;
    const done = handler();
    if (done !== undefined) return done.finally(leave);
    leave();
    return undefined;
  };
}
