import type { Duplex } from 'node:stream';
import type { ResponseHandler } from './handler.js';
import { type RawHeaders, toByteHeaders } from './raw-headers.js';

/** Tells a handler of undici's form, which knows headers as bytes, of answers whose headers are text. */
export class ByteResponse implements ResponseHandler {
  readonly #handler: ResponseHandler;

  constructor(handler: ResponseHandler) {
    this.#handler = handler;
  }

  onConnect(abort: (reason?: Error) => void, context?: object): void {
    this.#handler.onConnect(abort, context);
  }

  onBodySent(chunk: unknown): void {
    this.#handler.onBodySent?.(chunk);
  }

  onRequestSent(): void {
    this.#handler.onRequestSent?.();
  }

  onResponseStarted(): void {
    this.#handler.onResponseStarted?.();
  }

  onHeaders(
    status: number,
    headers: RawHeaders,
    resume: () => void,
    statusText: string,
  ): boolean | undefined {
    return this.#handler.onHeaders(status, toByteHeaders(headers), resume, statusText);
  }

  onData(chunk: Buffer): boolean | undefined {
    return this.#handler.onData(chunk);
  }

  onComplete(trailers: RawHeaders): void {
    this.#handler.onComplete(toByteHeaders(trailers));
  }

  onUpgrade(status: number, headers: RawHeaders | null, socket: Duplex): void {
    this.#handler.onUpgrade?.(status, headers, socket);
  }

  onError(error: Error): void {
    this.#handler.onError(error);
  }
}
