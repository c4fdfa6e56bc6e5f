import { createServer, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkInteger } from '../core/check.js';
import { Guard } from './guard.js';
import type { GuardOptions } from './guard-options.js';
import type { Handler } from './handling.js';
import type { DrainOptions } from './lifecycle/drain.js';
import { onSignals } from './lifecycle/signals.js';

/** Options of the guard, and of the server that it stands before. */
export interface ServeOptions extends Partial<GuardOptions> {
  /** 0, the default: any that is free. */
  readonly port?: number;
  /** Every address, when not given. */
  readonly host?: string;
  /** Connections that may wait to be accepted: a burst of new ones is refused by the kernel beyond this. */
  readonly backlog?: number;
  /** For `http.createServer`. */
  readonly server?: ServerOptions;
  /** A cheaper handler, for when there is too much to do. */
  readonly degraded?: Handler;
  /** How long its end may take. */
  readonly drain?: Partial<DrainOptions>;
  /** SIGTERM and SIGINT drain and end the process, a second one ends it at once. */
  readonly exitOnSignal?: boolean;
  /** Called when the drain is over, before the process ends: to close what handlers needed. */
  readonly onDrained?: () => unknown;
}

/** Linux' own bound (net.core.somaxconn) since 5.4; Node's 511 is full after a burst of half a thousand clients. */
const BACKLOG = 4_096;

/** A server that runs. */
export interface RunningServer {
  readonly guard: Guard;
  readonly server: Server;
  readonly port: number;
  /** Drains: resolves when nothing is left. */
  close(options?: Partial<DrainOptions>): Promise<void>;
}

/** The whole thing: a guarded server that listens, answers health checks, and ends without losing a request. */
export async function serve(handler: Handler, options: ServeOptions = {}): Promise<RunningServer> {
  const {
    port = 0,
    host,
    backlog = BACKLOG,
    server: serverOptions = {},
    degraded,
    drain,
    exitOnSignal = true,
    onDrained,
    ...guardOptions
  } = options;
  checkInteger('port', port, 0, 65_535);
  checkInteger('backlog', backlog, 1);
  const guard = new Guard(guardOptions);
  const server = createServer(
    serverOptions,
    guard.protect(handler, degraded === undefined ? {} : { degraded }),
  );
  guard.attach(server);
  try {
    await listen(server, { port, backlog, ...(host === undefined ? {} : { host }) });
    const bound = (server.address() as AddressInfo).port;
    await guard.listenForHealthChecks(bound, host);
    const close = async (more?: Partial<DrainOptions>) => {
      await guard.drain({ ...drain, ...more });
      stopListening();
      await onDrained?.();
    };
    const stopListening = exitOnSignal ? onSignals(() => close()) : () => {};
    guard.onDrainRequest = () => close().then(() => exitOnSignal && process.exit(0));
    return { guard, server, port: bound, close };
  } catch (error) {
    await guard.drain({ timeoutMs: 0 });
    throw error;
  }
}

function listen(
  server: Server,
  options: { readonly port: number; readonly host?: string; readonly backlog: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
