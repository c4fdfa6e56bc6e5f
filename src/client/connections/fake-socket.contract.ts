import { Duplex } from 'node:stream';

/** A connection to nobody. */
export class FakeSocket extends Duplex {
  isRefed = true;
  bytesRead = 0;
  alpnProtocol: string | false = false;
  servername: string | false = false;

  constructor() {
    // As a `net.Socket` is: the end of one side is the end of both.
    super({ allowHalfOpen: false });
  }

  ref(): this {
    this.isRefed = true;
    return this;
  }

  unref(): this {
    this.isRefed = false;
    return this;
  }

  /** The other end sends something; null is its end. */
  receive(text: string | null): void {
    this.bytesRead += text?.length ?? 0;
    this.push(text);
  }

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    done();
  }
}
