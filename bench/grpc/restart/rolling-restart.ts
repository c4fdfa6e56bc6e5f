import { type BackendOptions, BackendProcess } from './backend-process.js';

/** Who calls the fleet. */
export interface RestartClient {
  /** One unary call; gives what was wrong, undefined for nothing. */
  call(): Promise<string | undefined>;
  /** A stream that only its server ends; gives the status that it ended with. */
  stream(): Promise<string>;
  close(): void;
}

export interface RestartOptions extends BackendOptions {
  /** Of a guarded backend. */
  readonly program: string | URL;
  readonly connect: (ports: readonly number[]) => RestartClient;
  readonly backends: number;
  /** It goes on until there were so many of both, or the time is over. */
  readonly calls: number;
  readonly restarts: number;
  readonly mostMs: number;
  readonly atOnce: number;
  readonly streams: number;
  /**
   * Calls before the first restart that are not counted. It is a service at work that is restarted: a client that has just begun
   * sends all it has to whichever backend it is connected to first, and that one has just begun, too.
   */
  readonly warmUpCalls?: number;
}

export interface Restarted {
  readonly calls: number;
  /** Why, and how many. */
  readonly failed: Readonly<Record<string, number>>;
  /** Calls that guards had no room for, and that no other attempt helped: it is the machine that has too much to do. */
  readonly shed: number;
  /** How streams ended that were open while a backend went. */
  readonly streams: Readonly<Record<string, number>>;
  readonly restarts: number;
  readonly exitCodes: readonly (number | null)[];
}

/** As guards say it; those that are about to leave say something else. */
const SHED = 'UNAVAILABLE: overloaded';

/** Restarts backends in turn, one after the other, while they are called. */
export async function restartUnderLoad(given: RestartOptions): Promise<Restarted> {
  const backends = Array.from({ length: given.backends }, () => new BackendProcess(given.program, given));
  const failed: Record<string, number> = {};
  const streams: Record<string, number> = {};
  let shed = 0;
  const exitCodes: (number | null)[] = [];
  let client: RestartClient | undefined;
  let calls = 0;
  let isEnded = false;
  const untilMs = performance.now() + given.mostMs;
  const isOver = () =>
    (calls >= given.calls && exitCodes.length >= given.restarts) || performance.now() > untilMs;

  async function warmUp(calling: RestartClient): Promise<void> {
    let left = given.warmUpCalls ?? 0;
    const callOn = async () => {
      while (left-- > 0) await calling.call();
    };
    await Promise.all(Array.from({ length: given.atOnce }, callOn));
  }

  async function restart(): Promise<void> {
    for (let i = 0; !isOver(); i++) {
      const backend = backends[i % backends.length]!;
      exitCodes.push(await backend.end());
      await backend.start();
    }
  }

  async function call(calling: RestartClient): Promise<void> {
    while (!isOver()) {
      calls++;
      const wrong = await calling.call();
      if (wrong === SHED) shed++;
      else if (wrong !== undefined) failed[wrong] = (failed[wrong] ?? 0) + 1;
    }
  }

  async function stream(calling: RestartClient): Promise<void> {
    while (!isEnded) {
      const status = await calling.stream();
      // Those that are open in the end are ended by the client.
      if (!isEnded) streams[status] = (streams[status] ?? 0) + 1;
    }
  }

  try {
    await Promise.all(backends.map((backend) => backend.start()));
    const calling = given.connect(backends.map(({ port }) => port));
    client = calling;
    await warmUp(calling);
    const streaming = Array.from({ length: given.streams }, () => stream(calling));
    await Promise.all([restart(), ...Array.from({ length: given.atOnce }, () => call(calling))]);
    isEnded = true;
    client.close();
    for (const backend of backends) backend.kill();
    await Promise.all(streaming);
    return { calls, failed, shed, streams, restarts: exitCodes.length, exitCodes };
  } finally {
    isEnded = true;
    client?.close();
    for (const backend of backends) backend.kill();
  }
}
