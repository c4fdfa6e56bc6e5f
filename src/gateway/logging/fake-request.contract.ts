import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Generation } from '../generation.js';
import type { LiveRoute } from '../live-route.js';
import type { Lines, LogLevel } from './lines.js';

/** A request of Node's, as far as a log looks at it. */
export function fakeRequest(
  url: string,
  rawHeaders: readonly string[] = [],
  socket: object = {},
): IncomingMessage {
  const own = { remoteAddress: '10.0.0.9', bytesRead: 0, bytesWritten: 0, ...socket };
  return { method: 'GET', url, rawHeaders, httpVersion: '1.1', socket: own } as unknown as IncomingMessage;
}

export class FakeResponse extends EventEmitter {
  headersSent = false;
  statusCode = 200;
  writableFinished = false;

  /** Answered, and gone. */
  finish(status: number): void {
    this.headersSent = true;
    this.statusCode = status;
    this.writableFinished = true;
    this.emit('close');
  }

  get asResponse(): ServerResponse {
    return this as unknown as ServerResponse;
  }
}

type FieldName =
  | 'path'
  | 'status'
  | 'reason'
  | 'limit'
  | 'error'
  | 'bytesIn'
  | 'client'
  | 'attempts'
  | 'backend';

export interface FakeLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Partial<Record<FieldName, unknown>>>;
}

/** Remembers what was said. */
export class FakeLines implements Lines {
  readonly written: FakeLine[] = [];
  level: LogLevel = 'info';

  isOn(level: LogLevel): boolean {
    const order = ['debug', 'info', 'warn', 'error'];
    return order.indexOf(level) >= order.indexOf(this.level);
  }

  write(level: LogLevel, message: string, fields: object): void {
    if (this.isOn(level)) this.written.push({ level, message, fields: fields as FakeLine['fields'] });
  }
}

export const FAKE_GENERATION = {
  proxies: { isNone: true },
  isTrustedCaller: (address: string | undefined) => address === '10.1.1.1',
} as unknown as Generation;

export const FAKE_ROUTE = {
  name: 'api',
  service: { name: 'users' },
  mustBeKnown: false,
} as unknown as LiveRoute;
