import { describe, expect, it } from 'vitest';
import { SmallFleet, small } from './small-fleet.contract.js';

const latencies = ({ ends }: SmallFleet) => ends.map(({ latencyMs }) => latencyMs);

describe('a machine', () => {
  it('is as fast as its cores, and shares them', () => {
    const backends = (group: object) => [{ count: 1, ...group }];
    const alone = (group: object) =>
      latencies(new SmallFleet(small({ backends: backends(group) })).ask(0).run(99));
    expect(alone({})).toEqual([12]);
    expect(alone({ speed: 2 })).toEqual([7]);
    expect(alone({ cores: 0.5 })).toEqual([22]);
    // One request uses one core at most.
    expect(alone({ cores: 2 })).toEqual([12]);
    const both = (group: object) =>
      latencies(new SmallFleet(small({ backends: backends(group), guard: false })).ask(0).ask(0).run(99));
    expect(both({})).toEqual([22, 22]);
    expect(both({ cores: 2 })).toEqual([12, 12]);
  });

  it('is slower, in a part of the time, for its neighbours', () => {
    const neighbours = { busyShare: 1, idleCores: 0, slowdown: 3, redrawMs: 1e6 };
    const model = new SmallFleet(small({ backends: [{ count: 1, neighbours }] })).ask(0).run(99);
    expect(latencies(model)).toEqual([32]);
    expect(model.backend().machine.processor.usedMs()).toBe(30);
    expect(model.backend().machine.cpuSeconds(10)).toBeCloseTo(0.03);
  });

  it('has more cores than are reserved while its neighbours leave them', () => {
    const neighbours = { busyShare: 0, idleCores: 1, redrawMs: 1e6 };
    const model = new SmallFleet(small({ backends: [{ count: 1, neighbours }], guard: false }))
      .ask(0)
      .ask(0)
      .run(99);
    expect(latencies(model)).toEqual([12, 12]);
    // More than all that is reserved is used then.
    expect(model.backend().machine.processor.usedMs()).toBe(20);
  });

  it('changes with its neighbours while it works', () => {
    const neighbours = { busyShare: 0.5, idleCores: 0, slowdown: 9, redrawMs: 5 };
    const model = new SmallFleet(small({ costMs: 1_000, backends: [{ count: 1, neighbours }] }))
      .ask(0, { deadlineMs: 1e6 })
      .run(20_000);
    // Neither all fast nor all slow: of the time half is fast, so 1,000 take 1,800.
    expect(latencies(model)[0]).toBeGreaterThan(1_500);
    expect(latencies(model)[0]).toBeLessThan(2_200);
  });

  it('that is slowed down twice is as slow as both together, and as fast as ever once both are over', () => {
    const model = new SmallFleet(small());
    const { machine } = model.backend();
    model
      .at(0, () => machine.slowDown(3))
      .at(0, () => machine.slowDown(1.1))
      .ask(0)
      .at(100, () => machine.speedUp(3))
      .ask(100)
      .at(200, () => machine.speedUp(1.1))
      .ask(200)
      .run(300);
    expect(latencies(model)).toEqual([expect.closeTo(35, 9), expect.closeTo(13, 9), 12]);
  });

  it('charges for what work comes to here, not elsewhere', () => {
    const model = new SmallFleet(small({ backends: [{ count: 1, speed: 2 }] }));
    const { machine } = model.backend();
    expect(machine.cpuSeconds(1_000)).toBe(0.5);
    machine.slowDown(4);
    expect(machine.cpuSeconds(1_000)).toBe(2);
  });
});

describe('a pause', () => {
  it('stops the work: it goes on where it was', () => {
    const model = new SmallFleet(small())
      .ask(0)
      .at(6, (model) => model.backend().machine.pause(106))
      .run(200);
    expect(latencies(model)).toEqual([112]);
    expect(model.backend().machine.processor.usedMs()).toBe(10);
  });

  it('holds what arrives at the door, and lets it in in order', () => {
    const model = new SmallFleet(small({ guard: { concurrency: 1 } }))
      .at(0, (model) => model.backend().machine.pause(100))
      .ask(10)
      .ask(20)
      .run(50);
    expect(model.backend().tally.arrivals).toBe(0);
    model.run(200);
    expect(model.ends).toEqual([
      { end: 'served', atMs: 111, latencyMs: 101, retries: 0 },
      { end: 'served', atMs: 121, latencyMs: 101, retries: 0 },
    ]);
  });

  it('does not hand what waits at the door to another process', () => {
    const model = new SmallFleet(small({ startMs: 10 }))
      .at(0, (model) => model.backend().machine.pause(100))
      .ask(5)
      .at(50, (model) => model.backend().lifecycle.kill(5))
      .run(200);
    expect(model.ends).toEqual([{ end: 'broken', atMs: 51, latencyMs: 46, retries: 0 }]);
    expect(model.backend().tally.arrivals).toBe(0);
  });

  it('ends when the longer of two does', () => {
    const model = new SmallFleet(small());
    const { machine } = model.backend();
    model
      .at(0, () => machine.pause(100))
      .at(1, () => machine.pause(50))
      .ask(10)
      .run(200);
    expect(latencies(model)).toEqual([101]);
    expect(machine.isPaused).toBe(false);
    expect(machine.pausedUntilMs).toBe(100);
  });

  it('of no length is none', () => {
    const model = new SmallFleet(small())
      .ask(0)
      .at(5, (model) => model.backend().machine.pause(5))
      .run(50);
    expect(latencies(model)).toEqual([12]);
  });

  it('holds what the process waits for, too', () => {
    const model = new SmallFleet(small({ waitMs: 20 }))
      .ask(0)
      // From 6 to 26 it waits for something else; then it could go on.
      .at(10, (model) => model.backend().machine.pause(100))
      .run(200);
    expect(latencies(model)).toEqual([106]);
  });

  it('comes by chance, and all are served', () => {
    const model = new SmallFleet(small({ pauses: { everyMs: 50, forMs: 20 }, costMs: 1 }));
    for (let at = 0; at < 1_000; at += 10) model.ask(at);
    model.run(2_000);
    expect(model.ends).toHaveLength(100);
    expect(model.ends.every(({ end }) => end === 'served')).toBe(true);
    // 20 of each 70 ms.
    const held = latencies(model).filter((latencyMs) => latencyMs > 3.001).length;
    expect(held).toBeGreaterThan(15);
    expect(held).toBeLessThan(45);
  });
});
