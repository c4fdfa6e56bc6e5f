import * as grpc from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { type Environment, SeededRandom } from '../../../core/index.js';
import { progressOf } from '../attempt-progress.js';
import {
  COMPLETE,
  CONNECTING,
  type Endpoint,
  FAIL,
  type GrpcPicker,
  type PickArgs,
  QUEUE,
  READY,
  TRANSIENT_FAILURE,
} from './grpc-api.js';
import { PlimsollLoadBalancer, PolicyConfig } from './load-balancer.js';
import { LiveBalancers } from './policy-metrics.js';
import { checkPolicyOptions, type GrpcPolicyOptions } from './policy-settings.js';
import { StandInSubchannel } from './stand-in-subchannel.js';

const random = new SeededRandom(1);

function aCall(): PickArgs {
  return { metadata: new grpc.Metadata(), extraPickInfo: {} };
}

/** A load balancer whose connections are in the given states, by their ports, from the start. */
function balance(states: readonly number[], options: GrpcPolicyOptions['round-robin']) {
  let nowMs = 0;
  const environment: Environment = {
    monotonicMs: () => nowMs,
    wallMs: () => nowMs,
    random: () => random.next(),
  };
  const made: StandInSubchannel[] = [];
  const told: { state: number; picker: GrpcPicker; error: string | null }[] = [];
  const balancer = new PlimsollLoadBalancer('round-robin', grpc, environment, new LiveBalancers(), {
    createSubchannel: (address) => {
      const { port } = address as { port: number };
      const connection = new StandInSubchannel(`127.0.0.1:${port}`, states[port - 1]!);
      made.push(connection);
      return connection.asSubchannel();
    },
    updateState: (state, picker, error) => told.push({ state, picker, error }),
    requestReresolution: () => {},
    addChannelzChild: () => {},
    removeChannelzChild: () => {},
  });
  const endpoints: Endpoint[] = states.map((_, index) => ({
    addresses: [{ host: '127.0.0.1', port: index + 1 }],
  }));
  const config = new PolicyConfig(
    'round-robin',
    checkPolicyOptions('round-robin', options, environment.random),
  );
  const update = (addresses = grpc.experimental.statusOrFromValue(endpoints)) =>
    balancer.updateAddressList(addresses, config, {}, '');
  const members = () =>
    balancer.snapshot()!.backends.map(({ address, state }) => `${address.split(':')[1]} ${state}`);
  const ask = () => told.at(-1)!.picker.pick(aCall());
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { balancer, made, told, update, members, ask, pass };
}

describe('a balancer', () => {
  it('finds other members when connections fail while they are opened', () => {
    const states = Array.from({ length: 12 }, (_, index) => (index % 3 === 0 ? READY : TRANSIENT_FAILURE));
    const { update, members, told, balancer, made } = balance(states, { subset: { size: 3, clientId: 0 } });
    expect(update()).toBe(true);
    expect(members().filter((each) => each.endsWith(' ready'))).toHaveLength(3);
    expect(members()).toHaveLength(3);
    expect(told).toHaveLength(1);
    expect(told[0]!.state).toBe(READY);
    balancer.destroy();
    expect(made.every(({ references }) => references === 0)).toBe(true);
  });

  it('lets calls wait while one is being connected to, and refuses them when all have failed', () => {
    const waiting = balance([TRANSIENT_FAILURE, CONNECTING], { subset: false });
    waiting.update();
    expect([waiting.told.at(-1)!.state, waiting.ask().pickResultType]).toEqual([CONNECTING, QUEUE]);
    waiting.balancer.destroy();
    const failed = balance([TRANSIENT_FAILURE, TRANSIENT_FAILURE], { subset: false });
    failed.update();
    expect(failed.told.at(-1)!.state).toBe(TRANSIENT_FAILURE);
    const { status } = failed.ask();
    expect(status).toMatchObject({ code: grpc.status.UNAVAILABLE });
    expect(status!.details).toContain('PLIMSOLL_NO_BACKEND: none of 2 backends is usable: 2 refusing');
    failed.balancer.destroy();
  });

  it('keeps what it has when the resolver fails, and says what is wrong when it has nothing', () => {
    const error = { code: grpc.status.UNAVAILABLE, details: 'no such name', metadata: new grpc.Metadata() };
    const failure = grpc.experimental.statusOrFromError<grpc.experimental.Endpoint[]>(error);
    const { update, told, ask, members, balancer } = balance([READY], { subset: false });
    update(failure);
    expect(told.at(-1)).toMatchObject({ state: TRANSIENT_FAILURE, error: 'no such name' });
    expect(ask().status!.details).toBe('no such name');
    update();
    update(failure);
    expect(members()).toEqual(['1 ready']);
    expect(told.at(-1)!.state).toBe(READY);
    expect(update(grpc.experimental.statusOrFromValue([]))).toBe(false);
    balancer.destroy();
  });

  it('takes no config that is not its own', () => {
    const { balancer } = balance([READY], { subset: false });
    const config = new PolicyConfig(
      'round-robin',
      checkPolicyOptions('round-robin', {}, () => 0),
    );
    const other = { getLoadBalancerName: () => 'x', toJsonObject: () => ({}) };
    expect(balancer.updateAddressList(grpc.experimental.statusOrFromValue([]), other, {})).toBe(false);
    expect(config.toJsonObject()).toEqual({ plimsoll_round_robin: {} });
    expect(balancer.getTypeName()).toBe('plimsoll_round_robin');
    balancer.destroy();
  });

  it('gives back a pick that is never started, and counts one that is started late', async () => {
    const { balancer, update, ask } = balance([READY], { subset: false });
    const active = () => balancer.snapshot()!.backends[0]!.active;
    update();
    const forgotten = ask();
    const late = ask();
    const prompt = ask();
    prompt.onCallStarted!();
    expect(active()).toBe(3);
    await new Promise((resolve) => setImmediate(resolve));
    expect(active()).toBe(1);
    late.onCallStarted!();
    expect(active()).toBe(2);
    for (const each of [late, prompt, forgotten]) each.onCallEnded!(grpc.status.OK, '', new grpc.Metadata());
    expect(active()).toBe(0);
    balancer.destroy();
  });

  it('counts a call that waits once, however often it is asked for', () => {
    const { balancer, update, told } = balance([READY, CONNECTING], {
      subset: false,
      roster: { activeLimit: 1 },
      waiting: { maxWaitMs: 2_000, maxWaiting: 3 },
    });
    update();
    const ask = (call: PickArgs) => told.at(-1)!.picker.pick(call).pickResultType;
    const calls = Array.from({ length: 5 }, aCall);
    expect(calls.map(ask)).toEqual([COMPLETE, QUEUE, QUEUE, QUEUE, FAIL]);
    const waiting = calls.slice(1, 4);
    for (let change = 0; change < 3; change++) {
      // The channel is given a picker, and asks anew for all that wait.
      update();
      expect(waiting.map(ask)).toEqual([QUEUE, QUEUE, QUEUE]);
    }
    expect(ask(aCall())).toBe(FAIL);
    balancer.destroy();
  });

  it('knows calls apart that were given the same metadata', () => {
    const { balancer, update, told, pass } = balance([READY], {
      subset: false,
      roster: { activeLimit: 1 },
      waiting: { maxWaitMs: 100, maxWaiting: 10 },
    });
    update();
    const shared = new grpc.Metadata();
    shared.setOptions({});
    // As grpc-js does: a copy for each question.
    const ask = (extraPickInfo: Record<string, string>) =>
      told.at(-1)!.picker.pick({ metadata: shared.clone(), extraPickInfo }).pickResultType;
    const [first, second, third] = [{}, {}, {}];
    expect([ask(first), ask(second)]).toEqual([COMPLETE, QUEUE]);
    pass(90);
    expect(ask(third)).toBe(QUEUE);
    pass(20);
    expect([ask(second), ask(third)]).toEqual([FAIL, QUEUE]);
    balancer.destroy();
  });

  it('knows nothing of calls that did not come through the interceptor', () => {
    expect(progressOf(new grpc.Metadata())).toBeUndefined();
  });
});
