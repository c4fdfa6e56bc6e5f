import type { ServerResponse } from 'node:http';
import { encodeHealthLine } from '../../wire/index.js';
import { onResponseClose } from '../intake/connection-close.js';
import type { HealthSource } from './health-source.js';

/**
 * Those who hold a connection open to hear how the backend is: a line at first, one on each change of state, and one as
 * a heartbeat, which is made once for all. Who does not read is let go of and not written for: it can come again.
 */
export class WatchStreams {
  readonly #source: HealthSource;
  readonly #heartbeatMs: number;
  readonly #max: number;
  readonly #watchers = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;
  #stopListening: () => void = () => {};

  constructor(source: HealthSource, heartbeatMs: number, max: number) {
    this.#source = source;
    this.#heartbeatMs = heartbeatMs;
    this.#max = max;
  }

  get size(): number {
    return this.#watchers.size;
  }

  /** False when there are too many; nothing has been written then. */
  add(res: ServerResponse): boolean {
    if (this.#watchers.size >= this.#max) return false;
    if (this.#watchers.size === 0) this.#start();
    this.#watchers.add(res);
    onResponseClose(res, () => this.#remove(res));
    // An error of the connection is followed by its close.
    res.on('error', () => {});
    // The connection ends with it: a drain waits for connections, and nothing else would ever be said on this one.
    const headers = [
      'content-type',
      'application/x-ndjson',
      'cache-control',
      'no-store',
      'connection',
      'close',
    ];
    res.writeHead(200, headers);
    this.#write(res, this.#line());
    return true;
  }

  close(): void {
    for (const res of this.#watchers) res.end();
    this.#watchers.clear();
    this.#stop();
  }

  #line(): string {
    return `${encodeHealthLine({ state: this.#source.state(), report: this.#source.loadReport() })}\n`;
  }

  #tellAll(): void {
    const line = this.#line();
    for (const res of this.#watchers) this.#write(res, line);
  }

  #write(res: ServerResponse, line: string): void {
    // Sixteen kilobytes, eighty lines, wait in this process, on top of what the kernel holds.
    if (!res.write(line)) res.destroy();
  }

  #start(): void {
    this.#timer = setInterval(() => this.#tellAll(), this.#heartbeatMs).unref();
    this.#stopListening = this.#source.onStateChange(() => this.#tellAll());
  }

  #remove(res: ServerResponse): void {
    if (this.#watchers.delete(res) && this.#watchers.size === 0) this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#stopListening();
    this.#stopListening = () => {};
  }
}
