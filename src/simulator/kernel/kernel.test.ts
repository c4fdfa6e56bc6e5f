import { beforeEach, describe, expect, it } from 'vitest';
import { Event } from './event.js';
import { Kernel } from './kernel.js';

let kernel: Kernel;
let log: string[];

class Logged extends Event {
  constructor(
    readonly name: string,
    readonly also: (now: number) => void = () => {},
  ) {
    super();
  }

  happen(now: number): void {
    log.push(`${this.name}@${now}`);
    this.also(now);
  }
}

beforeEach(() => {
  kernel = new Kernel();
  log = [];
});

describe('time', () => {
  it('goes from event to event, up to and including the instant asked for', () => {
    const seen: number[] = [];
    const look = () => seen.push(kernel.now);
    for (const at of [30, 10, 20.5, 20]) kernel.at(at, new Logged('look', look));
    kernel.runUntil(20);
    expect(seen).toEqual([10, 20]);
    expect([kernel.now, kernel.events, kernel.scheduled]).toEqual([20, 2, 2]);
    kernel.runUntil(29.9);
    expect(seen).toEqual([10, 20, 20.5]);
    expect(kernel.now).toBe(29.9);
    kernel.runUntil(1_000);
    expect(seen).toEqual([10, 20, 20.5, 30]);
    expect([kernel.now, kernel.events, kernel.scheduled]).toEqual([1_000, 4, 0]);
  });

  it('passes when nothing happens, and never goes back', () => {
    kernel.runUntil(7);
    expect(kernel.now).toBe(7);
    kernel.runUntil(3);
    expect(kernel.now).toBe(7);
    expect(kernel.events).toBe(0);
  });

  it('is counted from now by after()', () => {
    kernel.runUntil(100);
    kernel.after(5, new Logged('a'));
    kernel.after(0, new Logged('b'));
    kernel.runUntil(105);
    expect(log).toEqual(['b@100', 'a@105']);
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('cannot run until %d', (timeMs) => {
    expect(() => kernel.runUntil(timeMs)).toThrow(
      new RangeError(`timeMs must be a finite number >= 0, got ${timeMs}`),
    );
  });
});

describe('order within an instant', () => {
  it('is by priority, then by who was scheduled first', () => {
    kernel.at(1, new Logged('later'), 2);
    kernel.at(1, new Logged('first'));
    kernel.at(1, new Logged('last'), 127);
    kernel.at(1, new Logged('second'), 0);
    kernel.after(1, new Logged('soon'), 1);
    kernel.runUntil(1);
    expect(log).toEqual(['first@1', 'second@1', 'soon@1', 'later@1', 'last@1']);
  });

  it('holds for what an event schedules at its own instant', () => {
    const first = new Logged('first', (now) => {
      kernel.at(now, new Logged('last of its priority'), 1);
      kernel.at(now, new Logged('before all that wait'), 0);
    });
    kernel.at(1, first, 1);
    kernel.at(1, new Logged('waiting'), 1);
    kernel.runUntil(1);
    expect(log).toEqual(['first@1', 'before all that wait@1', 'waiting@1', 'last of its priority@1']);
  });

  it('puts one that schedules itself behind the others', () => {
    let turns = 2;
    const again: Logged = new Logged('again', (now) => {
      if (--turns > 0) kernel.at(now, again);
    });
    kernel.at(1, again);
    kernel.at(1, new Logged('other'));
    kernel.runUntil(1);
    expect(log).toEqual(['again@1', 'other@1', 'again@1']);
  });
});

describe('a timer', () => {
  it('is moved when it is scheduled again, and happens once', () => {
    const timer = new Logged('timer');
    kernel.at(5, timer);
    kernel.at(9, timer);
    expect(kernel.scheduled).toBe(1);
    kernel.runUntil(20);
    expect(log).toEqual(['timer@9']);
    expect(timer.isScheduled).toBe(false);
  });

  it('is called off by cancel(), which any other time does nothing', () => {
    const timer = new Logged('timer');
    kernel.cancel(timer);
    kernel.at(5, timer);
    expect(timer.isScheduled).toBe(true);
    kernel.cancel(timer);
    expect([timer.isScheduled, kernel.scheduled]).toEqual([false, 0]);
    kernel.runUntil(10);
    expect(log).toEqual([]);
  });

  it('is called off by another event of its instant', () => {
    const timer = new Logged('timer');
    kernel.at(5, new Logged('answer', () => kernel.cancel(timer)));
    kernel.at(5, timer);
    kernel.runUntil(10);
    expect(log).toEqual(['answer@5']);
  });

  it('at Infinity never comes, and one that was scheduled no longer does', () => {
    const timer = new Logged('timer');
    kernel.after(Number.POSITIVE_INFINITY, timer);
    expect([timer.isScheduled, kernel.scheduled]).toEqual([false, 0]);
    kernel.at(5, timer);
    kernel.at(Number.POSITIVE_INFINITY, timer);
    expect([timer.isScheduled, kernel.scheduled]).toEqual([false, 0]);
    kernel.runUntil(10);
    expect(log).toEqual([]);
  });
});

describe('what is impossible is refused', () => {
  it.each([99.999, -1, Number.NaN, Number.NEGATIVE_INFINITY])('a time of %d, when it is 100', (timeMs) => {
    kernel.runUntil(100);
    const event = new Logged('event');
    expect(() => kernel.at(timeMs, event)).toThrow(new RangeError(`timeMs must be >= 100, got ${timeMs}`));
    expect(event.isScheduled).toBe(false);
  });

  it('a delay below 0, or none', () => {
    kernel.runUntil(100);
    const event = new Logged('event');
    expect(() => kernel.after(-1, event)).toThrow(new RangeError('timeMs must be >= 100, got 99'));
    expect(() => kernel.after(Number.NaN, event)).toThrow(new RangeError('timeMs must be >= 100, got NaN'));
  });

  it.each([-1, 128, 0.5, Number.NaN])('a priority of %d, even of what never comes', (priority) => {
    const message = new RangeError(`priority must be an integer from 0 to 127, got ${priority}`);
    const event = new Logged('event');
    kernel.at(1, event);
    expect(() => kernel.at(2, event, priority)).toThrow(message);
    expect(() => kernel.after(2, event, priority)).toThrow(message);
    expect(() => kernel.at(Number.POSITIVE_INFINITY, event, priority)).toThrow(message);
    // As it was.
    kernel.runUntil(1);
    expect(log).toEqual(['event@1']);
  });
});

describe('an event that throws', () => {
  it('ends the run at its instant; the next run goes on behind it', () => {
    let fails = true;
    const bad = new Logged('bad', () => {
      if (fails) throw new Error('on purpose');
    });
    kernel.at(1, new Logged('before'));
    kernel.at(2, bad);
    kernel.at(2, new Logged('beside'));
    kernel.at(3, new Logged('after'));
    expect(() => kernel.runUntil(10)).toThrow('on purpose');
    expect([kernel.now, kernel.scheduled, bad.isScheduled]).toEqual([2, 2, false]);
    fails = false;
    kernel.at(4, bad);
    kernel.runUntil(10);
    expect(log).toEqual(['before@1', 'bad@2', 'beside@2', 'after@3', 'bad@4']);
    expect([kernel.now, kernel.events]).toEqual([10, 5]);
  });
});

describe('progress', () => {
  it('is told every 50,000 events, counted over all runs', () => {
    const tick: Event = new (class extends Event {
      happen(now: number): void {
        kernel.at(now + 1, this);
      }
    })();
    kernel.at(1, tick);
    const told: [number, number][] = [];
    const onProgress = (now: number, events: number) => told.push([now, events]);
    kernel.runUntil(49_999, onProgress);
    expect(told).toEqual([]);
    kernel.runUntil(120_000, onProgress);
    expect(told).toEqual([
      [50_000, 50_000],
      [100_000, 100_000],
    ]);
    kernel.runUntil(160_000);
    kernel.runUntil(200_000, onProgress);
    expect(told.slice(2)).toEqual([[200_000, 200_000]]);
  });
});
