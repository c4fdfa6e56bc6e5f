import type { Duplex } from 'node:stream';
import { ByteResponse } from './byte-response.js';
import { headerText, type RawHeaders, toByteHeaders } from './raw-headers.js';

export type { RawHeaders } from './raw-headers.js';

/**
 * What undici tells of an attempt as it goes on, in the form its core speaks. `false` from `onHeaders` or `onData` asks
 * to wait until `resume` is called.
 */
export interface ResponseHandler {
  onConnect(abort: (reason?: Error) => void, context?: object): void;
  onHeaders(status: number, headers: RawHeaders, resume: () => void, statusText: string): boolean | undefined;
  onData(chunk: Buffer): boolean | undefined;
  onComplete(trailers: RawHeaders): void;
  onError(error: Error): void;
  onUpgrade?(status: number, headers: RawHeaders | null, socket: Duplex): void;
  onBodySent?(chunk: unknown): void;
  onRequestSent?(): void;
  onResponseStarted?(): void;
  /** It takes headers that are text; else they are bytes, as undici's handlers expect. */
  readonly takesText?: boolean;
  /** It looks at the code of a refusal and at nothing else; else there are a stack and a face for frameworks, too. */
  readonly readsCodeOnly?: boolean;
}

/** The form that undici's interceptors speak since version 7: a controller, and headers as an object. */
interface ControlledHandler {
  onRequestStart?(controller: Controller, context: object): void;
  onRequestUpgrade?(controller: Controller, status: number, headers: object, socket: Duplex): void;
  onResponseStart?(controller: Controller, status: number, headers: object, statusText: string): void;
  onResponseData?(controller: Controller, chunk: Buffer): void;
  onResponseEnd?(controller: Controller, trailers: object): void;
  onResponseError?(controller: Controller, error: Error): void;
}

/** Whoever calls speaks one of the two forms; from here on it is the first, and headers may be text. */
export function toResponseHandler(handler: object): ResponseHandler {
  if (typeof (handler as ControlledHandler).onRequestStart === 'function')
    return new ControlledResponse(handler as ControlledHandler);
  const given = handler as ResponseHandler;
  return given.takesText === true ? given : new ByteResponse(given);
}

class Controller {
  headers: RawHeaders | null = null;
  trailers: RawHeaders | null = null;
  aborted = false;
  paused = false;
  reason: Error | null = null;
  resumeResponse: (() => void) | undefined = undefined;
  readonly #abort: (reason?: Error) => void;

  constructor(abort: (reason?: Error) => void) {
    this.#abort = abort;
  }

  get rawHeaders(): RawHeaders | null {
    return this.headers && toByteHeaders(this.headers);
  }

  get rawTrailers(): RawHeaders | null {
    return this.trailers && toByteHeaders(this.trailers);
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#abort(reason);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.resumeResponse?.();
  }
}

class ControlledResponse implements ResponseHandler {
  readonly #handler: ControlledHandler;
  #controller = new Controller(() => {});

  constructor(handler: ControlledHandler) {
    this.#handler = handler;
  }

  onConnect(abort: (reason?: Error) => void, context: object = {}): void {
    this.#controller = new Controller(abort);
    this.#handler.onRequestStart?.(this.#controller, context);
  }

  onHeaders(status: number, headers: RawHeaders, resume: () => void, statusText: string): boolean {
    const controller = this.#controller;
    controller.headers = headers;
    controller.resumeResponse = resume;
    this.#handler.onResponseStart?.(controller, status, toHeaderRecord(headers), statusText);
    return !controller.paused;
  }

  onData(chunk: Buffer): boolean {
    this.#handler.onResponseData?.(this.#controller, chunk);
    return !this.#controller.paused;
  }

  onComplete(trailers: RawHeaders): void {
    this.#controller.trailers = trailers;
    this.#handler.onResponseEnd?.(this.#controller, toHeaderRecord(trailers));
  }

  onError(error: Error): void {
    this.#handler.onResponseError?.(this.#controller, error);
  }

  onUpgrade(status: number, headers: RawHeaders | null, socket: Duplex): void {
    this.#controller.headers = headers;
    this.#handler.onRequestUpgrade?.(this.#controller, status, toHeaderRecord(headers ?? []), socket);
  }
}

/** Names in lower case; a header that came more than once is a list. */
export function toHeaderRecord(headers: RawHeaders): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headerText(headers[i])!.toLowerCase();
    const raw = headers[i + 1]!;
    const values =
      typeof raw === 'string' || Buffer.isBuffer(raw)
        ? [headerText(raw)!]
        : raw.map((value) => value.toString('latin1'));
    const known = record[name];
    if (known === undefined) record[name] = values.length === 1 ? values[0]! : values;
    else record[name] = [...(Array.isArray(known) ? known : [known]), ...values];
  }
  return record;
}
