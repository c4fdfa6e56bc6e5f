import { createRequire } from 'node:module';
import type { BalancerSnapshot } from './balancer-snapshot.js';
import {
  type Addresses,
  type ChannelControlHelper,
  COMPLETE,
  CONNECTING,
  FAIL,
  type Grpc,
  type GrpcPicker,
  IDLE,
  QUEUE,
  READY,
  TRANSIENT_FAILURE,
} from './grpc-api.js';
import { type PlimsollLoadBalancer, PolicyConfig } from './load-balancer.js';
import { checkPolicyOptions } from './policy-settings.js';
import { StandInSubchannel } from './stand-in-subchannel.js';

/** What the policies use of `grpc.experimental`. */
const FUNCTIONS = [
  'registerLoadBalancerType',
  'isLoadBalancerNameRegistered',
  'parseLoadBalancingConfig',
  'createChildChannelControlHelper',
  'subchannelAddressToString',
  // Came with 1.14, and with it trailers for pickers: without them nobody tells of loads and lame ducks.
  'statusOrFromValue',
  'LeafLoadBalancer',
  'UnavailablePicker',
] as const;

class Mismatch extends Error {}

function need(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Mismatch(what);
}

/**
 * What speaks against using our policies with this grpc-js; undefined when nothing does. Its experimental functions may
 * change with any version: a balancer is made and asked for a pick on a connection that is none, so that a change shows when
 * the policies are registered, and not as calls that fail.
 */
export function findMismatch(
  grpc: Grpc,
  make: (helper: ChannelControlHelper) => PlimsollLoadBalancer,
): string | undefined {
  try {
    checkNames(grpc);
    checkMetadata(grpc);
    checkPick(grpc, make);
    return undefined;
  } catch (error) {
    return `${nameOf(grpc)} is not as the policies need it (they were tested with 1.14.0 and 1.14.7): ${(error as Error).message}`;
  }
}

/** Grpc-js does not say its version; a package beside it does. As a rule that is found from here, but there may be two of them. */
function nameOf(grpc: Grpc): string {
  try {
    const require = createRequire(import.meta.url);
    const { version } = require('@grpc/grpc-js/package.json') as { version: string };
    const { status } = require('@grpc/grpc-js') as Grpc;
    return status === grpc.status
      ? `@grpc/grpc-js ${version}`
      : `the @grpc/grpc-js that was given, which is another one than the ${version} that is found here,`;
  } catch {
    return '@grpc/grpc-js (of unknown version)';
  }
}

function checkNames(grpc: Grpc): void {
  need(typeof grpc?.experimental === 'object', 'there is no `experimental`');
  const { experimental, connectivityState: states } = grpc;
  for (const name of FUNCTIONS)
    need(typeof experimental[name] === 'function', `\`experimental.${name}\` is no function`);
  const { PickResultType: results, BaseSubchannelWrapper: connection } = experimental;
  need(
    typeof connection?.prototype?.getChannel === 'function',
    'a connection has no channel of its own, by which backends are asked for their load',
  );
  const numbers = [states?.IDLE, states?.CONNECTING, states?.READY, states?.TRANSIENT_FAILURE];
  need(
    String(numbers) === String([IDLE, CONNECTING, READY, TRANSIENT_FAILURE]),
    `connectivity states are ${numbers}`,
  );
  const answers = [results?.COMPLETE, results?.QUEUE, results?.TRANSIENT_FAILURE];
  need(String(answers) === String([COMPLETE, QUEUE, FAIL]), `the results of a pick are ${answers}`);
}

/** That interceptor and policy know each other's calls rests on it (see AttemptProgress). */
function checkMetadata(grpc: Grpc): void {
  const metadata = new grpc.Metadata();
  const options = {};
  metadata.setOptions(options);
  need(metadata.clone().getOptions() === options, 'a clone of metadata has other options');
}

function checkPick(grpc: Grpc, make: (helper: ChannelControlHelper) => PlimsollLoadBalancer): void {
  const connection = new StandInSubchannel();
  let state: number | undefined;
  let picker: GrpcPicker | undefined;
  const balancer = make({
    createSubchannel: () => connection.asSubchannel(),
    updateState: (newState, newPicker) => {
      state = newState;
      picker = newPicker;
    },
    requestReresolution: () => {},
    addChannelzChild: () => {},
    removeChannelzChild: () => {},
  });
  try {
    const config = new PolicyConfig(
      'round-robin',
      checkPolicyOptions('round-robin', { subset: false }, () => 0),
    );
    balancer.updateAddressList(oneAddress(grpc), config, {}, '');
    need(state === READY && picker !== undefined, `a connection that is ready makes the channel ${state}`);
    const metadata = new grpc.Metadata();
    const result = picker.pick({ metadata, extraPickInfo: {} });
    need(result.pickResultType === COMPLETE, `a pick ends as ${result.pickResultType}`);
    need(result.subchannel?.getAddress() === connection.address, 'a pick is not the connection');
    result.onCallStarted?.();
    need(activeIn(balancer.snapshot()) === 1, 'a call that was started is not counted');
    result.onCallEnded?.(grpc.status.OK, '', metadata);
    need(activeIn(balancer.snapshot()) === 0, 'a call that has ended is still counted');
  } finally {
    balancer.destroy();
  }
  need(connection.references === 0, 'a connection is not let go of');
}

function oneAddress(grpc: Grpc): Addresses {
  const endpoints = [{ addresses: [{ host: '127.0.0.1', port: 1 }] }];
  return grpc.experimental.statusOrFromValue(endpoints);
}

function activeIn(snapshot: BalancerSnapshot | undefined): number | undefined {
  return snapshot?.backends[0]?.active;
}
