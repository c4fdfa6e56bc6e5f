import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { splice } from './splice.js';

class FakeConnection extends Duplex {
  readonly kept: unknown[] = [];
  override _read() {}
  override _write(_chunk: unknown, _encoding: unknown, callback: () => void) {
    callback();
  }
  setKeepAlive(...given: unknown[]) {
    this.kept.push(...given);
  }
}

it('has the system ask after both ends that say nothing', () => {
  const [one, other] = [new FakeConnection(), new FakeConnection()];
  splice(one, other);
  expect([one.kept, other.kept]).toEqual([
    [true, 60_000],
    [true, 60_000],
  ]);
});

it('joins what has no such thing, too', () => {
  const plain = () => new Duplex({ read() {} });
  expect(() => splice(plain(), plain())).not.toThrow();
});
