import type { GatewayEvent, GatewayEvents } from '../gateway-events.js';
import type { Generation } from '../generation.js';
import { inDirectory } from '../in-directory.js';
import type { ListeningAt } from '../listeners.js';
import { type GatewaySettings, shownProblem } from '../settings/index.js';
import { followClients } from './client-ends.js';
import { lineOf } from './event-lines.js';
import type { Lines } from './lines.js';
import { LogWriter } from './log-writer.js';
import { openSink } from './open-sink.js';
import { loggedMessage } from './plain-text.js';
import { REFUSAL_SUMS_DEFAULTS, RefusalSums } from './refusal-sums.js';
import { followRefusals, type RefusedHead } from './refused-requests.js';
import { RequestIds } from './request-ids.js';
import { RequestLog } from './request-log.js';

/** Sums are told of so often. */
const SUMS_MS = 1_000;
/** As long as the end waits for whoever reads the log. */
const CLOSE_MS = 1_000;
/** Errors of our own that have lines in a second: what fails with each request fails alike. */
const ERROR_LINES = 5;

/** What became of lines that were not written. */
export interface LogSnapshot {
  /** Lines that there was no room for: whoever reads the log is too slow, or its disk is full. */
  readonly dropped: number;
  /** Attempts to write that have failed. */
  readonly failedWrites: number;
}

/** What a log has to know of the gateway that it follows. */
export interface Logged {
  readonly events: GatewayEvents;
  readonly generation: () => Generation;
  /** The head that the guard has read last. */
  readonly lastHead: () => RefusedHead | undefined;
  /** Whether what is under way now is cut off. */
  readonly isCut: () => boolean;
}

/** What a gateway does, as lines of JSON. Made by `openLog`; it never waits for whoever reads them. */
export class GatewayLog {
  readonly requests: RequestLog;
  readonly #lines: Lines;
  readonly #writer: LogWriter;
  readonly #withQuery: boolean;
  readonly #sums = new RefusalSums();
  readonly #errors = new RefusalSums({ ...REFUSAL_SUMS_DEFAULTS, linesPerWindow: ERROR_LINES });
  readonly #followed: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined = undefined;
  #closing: Promise<void> | undefined = undefined;

  constructor(settings: GatewaySettings['log'], lines: Lines, writer: LogWriter) {
    this.#lines = lines;
    this.#writer = writer;
    this.#withQuery = settings.query;
    this.requests = new RequestLog(settings, {
      lines,
      ids: new RequestIds(),
      sums: this.#sums,
      onSummed: this.#onSummed,
      random: Math.random,
    });
    process.on('exit', this.#onExit);
  }

  /** Until it is closed. */
  follow({ events, generation, lastHead, isCut }: Logged): void {
    this.requests.follow(isCut);
    this.#followed.push(
      events.on(this.event),
      followClients(),
      followRefusals({
        lines: this.#lines,
        sums: this.#sums,
        onSummed: this.#onSummed,
        withQuery: this.#withQuery,
        generation,
        lastHead,
        isOurs: (request) => this.requests.isOurs(request),
      }),
    );
  }

  readonly event = (event: GatewayEvent): void => {
    const { level, message, fields } = lineOf(event);
    this.#lines.write(level, message, fields);
  };

  info(message: string, fields: object = {}): void {
    this.#lines.write('info', message, fields);
  }

  /** A line without a stack: people can mend most of it, like a port that is taken. */
  notStarted(reason: string): void {
    this.#lines.write('error', 'cannot start', { reason: loggedMessage(shownProblem(reason)) });
  }

  listening(at: readonly ListeningAt[]): void {
    for (const { protocol, address } of at) this.info('listening', { url: `${protocol}://${address}` });
  }

  /** Something of ours has failed, and everything goes on. */
  readonly error = (error: unknown): void => {
    const { name, message, stack } =
      error instanceof Error ? error : { name: 'Error', message: String(error), stack: undefined };
    if (!this.#errors.admit(name, loggedMessage(message), '', performance.now())) this.#onSummed();
    else
      this.#lines.write('error', loggedMessage(message), {
        error: name,
        stack: stack && loggedMessage(stack),
      });
  };

  /** Its file may be another one by now. */
  readonly reopen = (): void => this.#writer.reopen();

  snapshot(): LogSnapshot {
    return { dropped: this.#writer.dropped, failedWrites: this.#writer.errors };
  }

  /** Resolves when all lines are written, or nobody reads them. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const stop of this.#followed.splice(0)) stop();
    clearTimeout(this.#timer);
    this.#tell();
    await this.#writer.close(CLOSE_MS);
    process.off('exit', this.#onExit);
  }

  readonly #onExit = (): void => {
    this.#tell();
    this.#writer.flushNow();
  };

  readonly #onSummed = (): void => {
    this.#timer ??= setTimeout(() => this.#tell(), SUMS_MS).unref();
  };

  #tell(): void {
    this.#timer = undefined;
    const refused = this.#sums.take();
    const total = refused.reduce((sum, { count }) => sum + count, 0);
    if (total > 0) this.#lines.write('warn', 'refused without lines of their own', { total, sums: refused });
    const errors = this.#errors.take();
    for (const { reason, route, count } of errors.slice(0, ERROR_LINES))
      this.#lines.write('error', route, { error: reason, count });
  }
}

/** Undefined: settings want none. Rejects, with what is wrong in one line, when it cannot be written. */
export async function openLog(
  settings: Pick<GatewaySettings, 'log'>,
  directory = '.',
): Promise<GatewayLog | undefined> {
  const { log } = settings;
  if (log.level === 'off') return undefined;
  const writer = new LogWriter(openSink(settings, (file) => inDirectory(directory, file)));
  // Only now: who has no log need not load it.
  const { pinoLines } = await import('./pino.js');
  return new GatewayLog(log, pinoLines(log.level, writer.write), writer);
}
