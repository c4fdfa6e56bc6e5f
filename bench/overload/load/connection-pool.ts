import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.js';
import type { Line, Lines, LinesUser } from './lines.js';

/** Below the backlog of a listening socket (511 by default): beyond it, connecting waits for a retransmission. */
const OPENED_AT_ONCE = 200;

/** One buffer for all sockets: what arrives is read before the next chunk is. */
const READ_BUFFER = Buffer.allocUnsafe(65_536);

const RECONNECT_AFTER_MS = 100;

/** A keep-alive connection with at most one request under way. */
export class Connection implements Line<Buffer> {
  /** What it waits for; the meaning of the number is that of whoever sends. Nobody's, if negative. */
  arrival = -1;
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();

  constructor(port: number, onOpen: (made: Connection) => void, pool: ConnectionPool) {
    const callback = (length: number): boolean => {
      try {
        if (this.#reader.read(READ_BUFFER, length)) pool.settle(this, this.#reader.status);
      } catch (error) {
        this.#socket.destroy(error as Error);
      }
      return true;
    };
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer: READ_BUFFER, callback },
    });
    this.#socket.once('connect', () => onOpen(this));
    this.#socket.on('error', ({ message }) => {
      pool.lastError = message;
    });
    this.#socket.once('close', () => pool.lose(this));
  }

  send(request: Buffer, arrival: number): void {
    this.arrival = arrival;
    this.#socket.write(request);
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/**
 * Connections that are opened, and have each been answered once, before anything is measured: Node accepts one new
 * connection per turn of its loop, so that cold ones would protect a server from the load that it is to be tested with.
 * They are used in turn, the longest idle first.
 */
export class ConnectionPool implements Lines<Buffer> {
  /** Connections that a server closed; each is replaced. */
  lost = 0;
  lastError = '';
  #user: LinesUser<Buffer> | undefined;
  readonly #port: number;
  readonly #all = new Set<Connection>();
  readonly #idle: Connection[];
  #firstIdle = 0;
  #idleCount = 0;
  #isClosed = false;

  private constructor(port: number, count: number) {
    this.#port = port;
    this.#idle = new Array(count);
  }

  /** Opens `count` connections; `greeting` is sent on each and its answer awaited. */
  static async open(port: number, count: number, greeting: Buffer): Promise<ConnectionPool> {
    const pool = new ConnectionPool(port, count);
    let [begun, answered] = [0, 0];
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        if (begun === count) return;
        begun++;
        pool.#connect((made) => made.send(greeting, 0));
      };
      const onAnswer = (connection: Line<Buffer>) => {
        pool.release(connection);
        begin();
        if (++answered === count) resolve();
      };
      const onLost = () =>
        reject(new Error(`a connection was lost before the measurement: ${pool.lastError}`));
      pool.serve({ onAnswer, onLost });
      while (begun < Math.min(count, OPENED_AT_ONCE)) begin();
    }).catch((error: unknown) => {
      pool.close();
      throw error;
    });
    return pool;
  }

  /** From now on it is this user's; what an earlier one still waits for concerns nobody any more. */
  serve(user: LinesUser<Buffer>): void {
    this.#user = user;
    for (const connection of this.#all) connection.arrival = -1;
  }

  /** The connection that has been idle for longest, if there is one. */
  take(): Connection | undefined {
    if (this.#idleCount === 0) return undefined;
    const taken = this.#idle[this.#firstIdle]!;
    this.#firstIdle = (this.#firstIdle + 1) % this.#idle.length;
    this.#idleCount--;
    return taken;
  }

  release(line: Line<Buffer>): void {
    const connection = line as Connection;
    connection.arrival = -1;
    this.#idle[(this.#firstIdle + this.#idleCount) % this.#idle.length] = connection;
    this.#idleCount++;
  }

  settle(connection: Connection, status: number): void {
    if (connection.arrival < 0) this.release(connection);
    else this.#user?.onAnswer(connection, status);
  }

  lose(connection: Connection): void {
    this.#all.delete(connection);
    if (this.#isClosed) return;
    this.lost++;
    this.#forgetIdle(connection);
    this.#user?.onLost(connection.arrival);
    setTimeout(() => this.#isClosed || this.#connect((made) => this.release(made)), RECONNECT_AFTER_MS);
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#all) connection.destroy();
  }

  #connect(onOpen: (made: Connection) => void): void {
    this.#all.add(new Connection(this.#port, onOpen, this));
  }

  /** Rare, so it may go through all of them. */
  #forgetIdle(lost: Connection): void {
    for (let left = this.#idleCount; left > 0; left--) {
      const connection = this.take()!;
      if (connection !== lost) this.release(connection);
    }
  }
}
