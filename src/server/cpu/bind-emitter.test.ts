import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { peekRequest } from '../../context/index.js';
import { bindEmitter, type Resumer } from './bind-emitter.js';
import { CpuMeter } from './cpu-meter.js';
import { metered } from './metered.contract.js';
import type { Metered } from './metered.js';
import { sliceClock } from './slice-clock.js';

/** Knows which request it has resumed. */
class FakeResumer implements Resumer {
  running: string | undefined;
  resumed = 0;

  resume<R, A, B>({ route }: Metered, fn: (a: A, b: B) => R, a: A, b: B): R {
    const outer = this.running;
    this.running = route;
    this.resumed += 1;
    try {
      return fn(a, b);
    } finally {
      this.running = outer;
    }
  }
}

describe('bindEmitter', () => {
  it('runs listeners in the request, whether they came before or after', () => {
    const emitter = new EventEmitter();
    const resumer = new FakeResumer();
    const seen: unknown[] = [];
    const note = () => seen.push(resumer.running);
    emitter.on('data', note);
    emitter.emit('data');
    bindEmitter(emitter, resumer, metered({ route: '/a' }));
    emitter.once('data', note);
    emitter.emit('data');
    emitter.emit('data');
    expect(seen).toEqual([undefined, '/a', '/a', '/a']);
    expect(resumer.running).toBeUndefined();
  });

  it('changes nothing of what an emitter does', () => {
    const emitter = new EventEmitter();
    bindEmitter(emitter, new FakeResumer(), metered({ route: '/a' }));
    const seen: unknown[] = [];
    emitter.on('data', function (this: unknown, ...args: unknown[]) {
      seen.push(this, ...args);
    });
    expect(emitter.emit('data', 1, 'two', 3)).toBe(true);
    expect(seen).toEqual([emitter, 1, 'two', 3]);
    expect(emitter.emit('end')).toBe(false);
    expect(() => emitter.emit('error', new Error('broken'))).toThrow('broken');
  });

  it('goes through the emit that the emitter had', () => {
    const emitter = new EventEmitter();
    const names: unknown[] = [];
    emitter.emit = (name, ...args) => {
      names.push(name);
      return EventEmitter.prototype.emit.call(emitter, name, ...args);
    };
    bindEmitter(emitter, new FakeResumer(), metered({ route: '/a' }));
    emitter.emit('data');
    expect(names).toEqual(['data']);
  });

  it('belongs to the last one when it is bound again, and to that one alone', () => {
    const emitter = new EventEmitter();
    const [first, last] = [new FakeResumer(), new FakeResumer()];
    bindEmitter(emitter, first, metered({ route: '/a' }));
    bindEmitter(emitter, first, metered({ route: '/b' }));
    bindEmitter(emitter, last, metered({ route: '/c' }));
    emitter.on('data', () => expect([first.running, last.running]).toEqual([undefined, '/c']));
    expect(emitter.emit('data')).toBe(true);
    expect([first.resumed, last.resumed]).toEqual([0, 1]);
  });

  // The wrapper is taken for the emit to go through, and goes through emitBound itself: they call each other until the
  // stack is full. Whoever wraps `req.emit` (tracing agents do) between two guards of one server sets this off.
  it('may be bound again after somebody has wrapped its emit', () => {
    const emitter = new EventEmitter();
    const resumer = new FakeResumer();
    bindEmitter(emitter, resumer, metered({ route: '/a' }));
    const { emit } = emitter;
    emitter.emit = (...args) => emit.apply(emitter, args);
    bindEmitter(emitter, resumer, metered({ route: '/b' }));
    const seen: unknown[] = [];
    emitter.on('data', () => seen.push(resumer.running));
    emitter.emit('data');
    expect(seen).toEqual(['/b']);
  });

  it('binds one emitter and no other of its kind', () => {
    const [bound, other] = [new EventEmitter(), new EventEmitter()];
    const resumer = new FakeResumer();
    bindEmitter(bound, resumer, metered({ route: '/a' }));
    other.on('data', () => expect(resumer.running).toBeUndefined());
    expect(other.emit('data')).toBe(true);
  });
});

describe('CpuMeter.bindEvents', () => {
  it.each(['exact', 'off'] as const)('has listeners serve the request: %s', (mode) => {
    const meter = new CpuMeter(() => 0.5, { mode });
    const [outer, request] = [metered({ route: '/outer' }), metered({ route: '/a' })];
    const emitter = new EventEmitter();
    meter.start();
    meter.bindEvents(emitter, request);
    meter.run(request, () => {}, 0, 0);
    const isRunning = ({ cpu }: Metered) => cpu !== undefined && sliceClock.isRunning(cpu);
    const seen: unknown[] = [];
    emitter.on('data', () => seen.push(peekRequest(), isRunning(request)));
    meter.run(outer, () => emitter.emit('data') && seen.push(peekRequest(), isRunning(outer)), 0, 0);
    meter.stop();
    expect(seen).toEqual([request, mode === 'exact', outer, mode === 'exact']);
    expect(peekRequest()).toBeUndefined();
  });
});
