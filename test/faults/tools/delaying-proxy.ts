import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands before a server and hands on what comes, later: both ways, in order. */
export class DelayingProxy {
  delayMs = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      this.#hand(near, far);
      this.#hand(far, near);
    });
  }

  static async start(port: number): Promise<DelayingProxy> {
    const made = new DelayingProxy(port);
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    return made;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #hand(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay();
    // Half of it each way: what is asked is answered after `delayMs`.
    from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), this.delayMs / 2));
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
