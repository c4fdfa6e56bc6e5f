import { EventEmitter } from 'node:events';
import { expect } from 'vitest';
import type { Connection, ConnectionOwner } from './connection.js';
import type { BytesReader } from './own-connector.js';

/** A connection to nobody, read as Node reads those with a buffer of their own. */
export class FakeSocket extends EventEmitter {
  reader: BytesReader | undefined = undefined;
  destroyed = false;
  cause: Error | undefined = undefined;
  writable = true;
  readable = true;
  writableLength = 0;
  isReading = true;
  isRefed = true;
  written = '';

  write(chunk: string | Uint8Array): void {
    this.written += Buffer.from(chunk as string, 'latin1').toString('latin1');
  }
  cork(): void {}
  uncork(): void {}
  ref(): void {
    this.isRefed = true;
  }
  unref(): void {
    this.isRefed = false;
  }
  resume(): void {
    this.isReading = true;
  }
  destroy(cause?: Error): void {
    if (!this.destroyed) this.cause = cause;
    this.destroyed = true;
  }
  receive(text: string): void {
    if (this.destroyed) return;
    expect(this.isReading, 'nobody reads').toBe(true);
    const bytes = Buffer.from(`${text}###`, 'latin1');
    this.isReading = this.reader!.onBytes(bytes, text.length);
    // As by the next connection, which is read into the same.
    bytes.fill('#');
  }
}

/** What an attempt is told, in one list; what it does about it is up to a test. */
export class Told {
  readonly events: string[] = [];
  body = '';
  error: Error | undefined = undefined;
  abort: (reason?: Error) => void = () => {};
  resume: () => void = () => {};

  constructor(readonly react: (event: string, told: Told) => unknown = () => true) {}

  #tell(event: string): boolean {
    this.events.push(event);
    return this.react(event, this) as boolean;
  }
  onConnect(abort: () => void): void {
    this.abort = abort;
    this.#tell('connect');
  }
  onBodySent(): void {
    this.#tell('body-sent');
  }
  onRequestSent(): void {
    this.#tell('sent');
  }
  onResponseStarted(): void {
    this.#tell('started');
  }
  onHeaders(status: number, headers: readonly string[], resume: () => void): boolean {
    this.resume = resume;
    return this.#tell(`${status} ${headers.join()}`);
  }
  onData(chunk: Buffer): boolean {
    this.body += chunk.toString('latin1');
    return this.#tell('data');
  }
  onComplete(trailers: readonly string[]): void {
    this.#tell(`complete ${trailers.join()}`);
  }
  onError(error: Error): void {
    this.error = error;
    this.events.push('error');
  }
  /** Exactly one, in the end. */
  get ends(): string[] {
    return this.events.filter((event) => event === 'error' || event.startsWith('complete'));
  }
}

export class Owner implements ConnectionOwner {
  headersTimeoutMs = 1_000;
  bodyTimeoutMs = 500;
  now = 0;
  free: (number | undefined)[] = [];
  nowMs = () => this.now;
  onDue(): void {}
  onFree(_connection: Connection, keptMs: number | undefined): void {
    this.free.push(keptMs);
  }
  onClosed(): void {}
}
