import { describe, expect, it } from 'vitest';
import type { LifeStage } from './lifecycle.js';
import { heldBy, NOTHING, SmallFleet, small } from './small-fleet.contract.js';

/** The stages of a backend's life, and when each began, looked at every `everyMs`. */
function stagesOf(model: SmallFleet, untilMs: number, everyMs = 1): [LifeStage, number][] {
  const stages: [LifeStage, number][] = [];
  for (let at = model.fleet.kernel.now; at <= untilMs; at += everyMs) {
    const { stage } = model.run(at).backend().lifecycle;
    if (stages.at(-1)?.[0] !== stage) stages.push([stage, at]);
  }
  return stages;
}

describe('kill', () => {
  it('is at once; then it is down, starting, and up', () => {
    const model = new SmallFleet(small({ startMs: 70 })).at(10, (model) =>
      model.backend().lifecycle.kill(40),
    );
    expect(stagesOf(model, 300)).toEqual([
      ['up', 0],
      ['down', 10],
      ['starting', 50],
      ['up', 120],
    ]);
  });

  it('of one that is down keeps it down for as long as either says', () => {
    const killed = (first: number, second: number) => {
      const model = new SmallFleet(small({ startMs: 10 }))
        .at(0, (model) => model.backend().lifecycle.kill(first))
        .at(20, (model) => model.backend().lifecycle.kill(second));
      return stagesOf(model, 300).find(([stage]) => stage === 'starting')?.[1];
    };
    expect(killed(100, 10)).toBe(100);
    expect(killed(100, 200)).toBe(220);
  });

  it('meets one that starts, drains or is a lame duck as well', () => {
    const model = new SmallFleet(small({ startMs: 50, spreadMs: 100 }));
    const { lifecycle } = model.backend();
    model
      .at(0, () => lifecycle.kill(10))
      .at(30, () => lifecycle.kill(10))
      .at(200, () => lifecycle.restart())
      .at(230, () => lifecycle.kill(10))
      .at(400, () => lifecycle.lameDuck(500))
      .at(430, () => lifecycle.kill(10));
    expect(stagesOf(model, 1_000).map(([stage, at]) => `${stage} ${at}`)).toEqual([
      'down 0',
      'starting 10',
      'down 30',
      'starting 40',
      'up 90',
      'draining 200',
      'down 230',
      'starting 240',
      'up 290',
      'lame-duck 400',
      'down 430',
      'starting 440',
      'up 490',
    ]);
  });
});

describe('restart', () => {
  const spec = { startMs: 50, spreadMs: 100, drainMs: 400 };

  it('waits until all clients may have heard of it, even with nothing to do', () => {
    const model = new SmallFleet(small(spec)).at(0, (model) => model.backend().lifecycle.restart());
    expect(stagesOf(model, 400).map(([stage, at]) => `${stage} ${at}`)).toEqual([
      'draining 0',
      'starting 100',
      'up 150',
    ]);
  });

  it('exits when the last request has ended, which is served', () => {
    const model = new SmallFleet(small({ ...spec, costMs: 250 }))
      .ask(0)
      .at(5, (model) => model.backend().lifecycle.restart());
    // It ends at 251; the next look, each 20 ms from 5 on, is at 265.
    expect(stagesOf(model, 400).map(([stage, at]) => `${stage} ${at}`)).toEqual([
      'up 0',
      'draining 5',
      'starting 265',
      'up 315',
    ]);
    expect(model.ends).toEqual([{ end: 'served', atMs: 252, latencyMs: 252, retries: 0 }]);
  });

  it('waits no longer than it has time for that: what still runs is lost', () => {
    const model = new SmallFleet(small({ ...spec, costMs: 900 }))
      .ask(0)
      .at(5, (model) => model.backend().lifecycle.restart());
    expect(stagesOf(model, 700).map(([stage, at]) => `${stage} ${at}`)).toEqual([
      'up 0',
      'draining 5',
      'starting 505',
      'up 555',
    ]);
    expect(model.ends).toEqual([{ end: 'broken', atMs: 506, latencyMs: 506, retries: 0 }]);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('of one that was a lame duck already goes on from there', () => {
    const model = new SmallFleet(small(spec))
      .at(0, (model) => model.backend().lifecycle.lameDuck(1_000))
      .at(50, (model) => model.backend().lifecycle.restart());
    expect(stagesOf(model, 2_000).map(([stage, at]) => `${stage} ${at}`)).toEqual([
      'lame-duck 0',
      'draining 50',
      'starting 150',
      'up 200',
    ]);
  });

  it('does nothing to one on its way down or up: it will be ready in any case', () => {
    const model = new SmallFleet(small(spec))
      .at(0, (model) => model.backend().lifecycle.kill(50))
      .at(10, (model) => model.backend().lifecycle.restart())
      .at(60, (model) => model.backend().lifecycle.restart())
      .at(80, (model) => model.backend().lifecycle.lameDuck(1_000));
    expect(stagesOf(model, 500).map(([stage, at]) => `${stage} ${at}`)).toEqual([
      'down 0',
      'starting 50',
      'up 100',
    ]);
  });
});

describe('lame duck', () => {
  it('is ready again after its time, or after the longer of two', () => {
    const model = new SmallFleet(small())
      .at(0, (model) => model.backend().lifecycle.lameDuck(100))
      .at(20, (model) => model.backend().lifecycle.lameDuck(20))
      .at(30, (model) => model.backend().lifecycle.lameDuck(90));
    expect(stagesOf(model, 300).map(([stage, at]) => `${stage} ${at}`)).toEqual(['lame-duck 0', 'up 120']);
  });
});

it('tells once who waits until it is up, at once when it is', () => {
  const model = new SmallFleet(small({ startMs: 10 }));
  const { lifecycle } = model.backend();
  const told: string[] = [];
  const tell = (name: string) => () => told.push(`${name} ${model.fleet.kernel.now}`);
  lifecycle.whenUp(tell('first'));
  model
    .at(5, () => lifecycle.kill(20))
    .at(7, () => lifecycle.whenUp(tell('second')))
    .at(8, () => lifecycle.whenUp(tell('third')))
    .at(100, () => lifecycle.lameDuck(20))
    .run(300);
  expect(told).toEqual(['first 0', 'second 35', 'third 35']);
});
