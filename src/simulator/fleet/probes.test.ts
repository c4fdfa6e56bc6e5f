import { describe, expect, it } from 'vitest';
import type { Backend } from '../../core/health/index.js';
import type { LoadReport } from '../../core/load-report.js';
import type { Probing } from '../../core/picking/index.js';
import { Probes } from './probes.js';
import { SmallFleet, small, twoLayers } from './small-fleet.contract.js';

interface Heard {
  readonly key: string;
  readonly atMs: number;
  readonly report: LoadReport | undefined;
}

/** A policy that asks for the probes that it is told to ask for, and writes down what comes of them. */
class ModelProbing implements Probing {
  readonly timeoutMs = 3;
  readonly heard: Heard[] = [];
  readonly due: Backend[] = [];
  readonly #model: SmallFleet;

  constructor(model: SmallFleet) {
    this.#model = model;
  }

  nextProbe(): Backend | undefined {
    return this.due.shift();
  }

  onAnswer({ key }: Backend, report: LoadReport, local: number): void {
    this.#hear(key, report, local);
  }

  onFailure({ key }: Backend, local: number): void {
    this.#hear(key, undefined, local);
  }

  #hear(key: string, report: LoadReport | undefined, local: number): void {
    const { now } = this.#model.fleet.kernel;
    // By the clock of who asks.
    expect(local).toBe(this.#model.link().process.clock.toLocal(now));
    this.heard.push({ key, atMs: now, report });
  }
}

function probing(network: object = {}, service: object = {}) {
  const model = new SmallFleet({
    ...small({ backends: 2, ...service }),
    network: { delayMs: 1, ...network },
  });
  const policy = new ModelProbing(model);
  const probes = new Probes(model.fleet, model.link(), policy);
  const backends = [...model.link().roster.members()];
  const ask = (atMs: number, ...indexes: number[]) =>
    model.at(atMs, () => {
      policy.due.push(...indexes.map((index) => backends[index]!));
      probes.send(atMs, model.link().process.clock.toLocal(atMs));
    });
  return { model, policy, probes, ask };
}

describe('a probe', () => {
  it('is answered after a way there and back, with what holds when it is there', () => {
    const { model, policy, ask } = probing();
    // On one of the two backends from 1 on, where its probe finds it half a millisecond later.
    model.ask(0);
    ask(0.5, 0, 1);
    model.run(10);
    const sorted = policy.heard.toSorted((a, b) => a.key.localeCompare(b.key));
    expect(sorted.map(({ key, atMs }) => [key, atMs])).toEqual([
      ['shop-0', 2.5],
      ['shop-1', 2.5],
    ]);
    expect(sorted.map(({ report }) => report?.inFlight).sort()).toEqual([0, 1]);
  });

  it('to a backend that does not answer fails when its time is over', () => {
    for (const trouble of [
      (model: SmallFleet) => model.backend(0).lifecycle.kill(100),
      (model: SmallFleet) => model.backend(0).machine.pause(100),
      (model: SmallFleet) => model.backend(0).cutOff(),
      (model: SmallFleet) => model.backend(0).lifecycle.lameDuck(100),
    ]) {
      const { model, policy, ask } = probing();
      trouble(model);
      ask(0, 0, 1);
      model.run(50);
      expect(policy.heard.map(({ key, atMs, report }) => [key, atMs, report !== undefined])).toEqual([
        ['shop-1', 2, true],
        ['shop-0', 3, false],
      ]);
    }
  });

  it('that is lost, or too slow, fails when its time is over, once', () => {
    for (const network of [{ lossShare: 1 }, { delayMs: 2 }, { delayMs: 4 }]) {
      const { model, policy, ask } = probing(network);
      ask(10, 0);
      model.run(100);
      expect(policy.heard).toEqual([{ key: 'shop-0', atMs: 13, report: undefined }]);
    }
  });

  it('that is back just in time is answered', () => {
    const { model, policy, ask } = probing({ delayMs: 1.5 });
    ask(10, 0);
    model.run(100);
    expect(policy.heard).toMatchObject([{ atMs: 13, report: { inFlight: 0 } }]);
  });

  it('is used again, and forgets what it carried before', () => {
    const { model, policy, ask } = probing();
    const scheduled = model.fleet.kernel.scheduled;
    ask(0, 0);
    model.at(5, (model) => model.backend(1).lifecycle.kill(1_000));
    ask(10, 1);
    ask(20, 0);
    model.run(30);
    expect(policy.heard.map(({ key, atMs, report }) => [key, atMs, report !== undefined])).toEqual([
      ['shop-0', 2, true],
      ['shop-1', 13, false],
      ['shop-0', 22, true],
    ]);
    // Nothing under way is left; one timer has come, of the backend that is down.
    expect(model.fleet.kernel.scheduled).toBe(scheduled + 1);
  });

  it('is sent without requests, too, when it is due', () => {
    const { model, policy } = probing();
    model.at(300, () => policy.due.push([...model.link().roster.members()][0]!)).run(1_000);
    expect(policy.heard).toMatchObject([{ key: 'shop-0', atMs: 502 }]);
  });

  it('is sent no more when who asks is gone', () => {
    const { model, policy, probes } = probing();
    model.at(300, () => policy.due.push([...model.link().roster.members()][0]!));
    model.at(400, () => probes.stop()).run(5_000);
    expect(policy.heard).toEqual([]);
  });

  it('of a process that is cut off gets nowhere', () => {
    const model = new SmallFleet(twoLayers());
    const front = model.backend(0, 'front');
    const heard: string[] = [];
    const [link] = front.process.calls;
    const due = [...link!.roster.members()];
    const probes = new Probes(model.fleet, link!, {
      timeoutMs: 3,
      nextProbe: () => due.shift(),
      onAnswer: () => heard.push('answer'),
      onFailure: () => heard.push(`failure at ${model.fleet.kernel.now}`),
    });
    front.cutOff();
    probes.send(0, front.clock.toLocal(0));
    model.run(100);
    expect(heard).toEqual(['failure at 3']);
  });
});

it('a policy that probes is sent its answers: prequal prefers who is fast', () => {
  const backends = [{ count: 4 }, { count: 4, speed: 0.2 }];
  const model = new SmallFleet(small({ backends }, { policy: 'prequal' }));
  for (let at = 0; at < 4_000; at += 10) model.ask(at);
  model.run(5_000);
  const arrivals = model.fleet.services[0]!.backends.map(({ tally }) => tally.arrivals);
  const sum = (counts: number[]) => counts.reduce((added, count) => added + count, 0);
  expect(sum(arrivals)).toBe(400);
  expect(sum(arrivals.slice(0, 4))).toBeGreaterThan(320);
});
