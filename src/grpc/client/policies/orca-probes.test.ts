import * as grpc from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import type { Backend, LoadReport, Probing } from '../../../core/index.js';
import { encodeLoadReportMessage } from '../../../wire/index.js';
import { type Channel, COMPLETE, QUEUE } from './grpc-api.js';
import type { Link } from './link.js';
import { OrcaProbes } from './orca-probes.js';

type Listener = Parameters<ReturnType<Channel['createCall']>['start']>[1];

let probes: OrcaProbes | undefined;
afterEach(() => probes?.close());

const ended = (code: grpc.status) => ({ code, details: 'by the test', metadata: new grpc.Metadata() });

/** Asks a backend as often as it is told to, over a channel on which `onStart` happens as soon as a call is started. */
function ask(onStart: (listener: Listener) => void, { times = 1, isConnected = true } = {}) {
  const told: (LoadReport | 'failure')[] = [];
  const did: string[] = [];
  let nowMs = 0;
  let left = 0;
  const backend = {} as Backend;
  const probing = {
    timeoutMs: 20,
    nextProbe: () => (left-- > 0 ? backend : undefined),
    onAnswer: (_: Backend, report: LoadReport) => told.push(report),
    onFailure: () => told.push('failure'),
  } as unknown as Probing;
  const call = {
    start: (_: grpc.Metadata, listener: Listener) => onStart(listener),
    startRead: () => did.push('read'),
    sendMessageWithContext: () => did.push('message'),
    halfClose: () => did.push('end'),
    cancelWithStatus: () => did.push('cancel'),
  };
  const subchannel = { getChannel: () => ({ createCall: () => call }) };
  const link = {
    pick: () => ({ pickResultType: isConnected ? COMPLETE : QUEUE, subchannel }),
  } as unknown as Link;
  const environment = { monotonicMs: () => nowMs, wallMs: () => nowMs, random: () => 0 };
  const made = new OrcaProbes(grpc, probing, environment, () => link);
  probes = made;
  const again = (ms = 0) => {
    nowMs += ms;
    left = times;
    made.send(nowMs);
  };
  again();
  return { told, did, again };
}

describe('a probe', () => {
  it('is the first report of a stream, which is then cancelled', () => {
    const { told, did } = ask((listener) => {
      listener.onReceiveMetadata(new grpc.Metadata());
      listener.onReceiveMessage(encodeLoadReportMessage({ inFlight: 3 }));
      listener.onReceiveStatus(ended(grpc.status.CANCELLED));
    });
    expect(told).toEqual([expect.objectContaining({ inFlight: 3 })]);
    expect(did).toEqual(['cancel', 'read', 'message', 'end']);
  });

  // A busy process may find that the time of a call is up before it has begun.
  it.each([grpc.status.DEADLINE_EXCEEDED, grpc.status.UNAVAILABLE])(
    'that is over with %s before it has begun has failed, and harms nobody',
    (code) => {
      const { told } = ask((listener) => listener.onReceiveStatus(ended(code)), { times: 3 });
      expect(told).toEqual(['failure', 'failure', 'failure']);
    },
  );

  it('that ends without a report has failed once', () => {
    const { told } = ask((listener) => {
      listener.onReceiveMessage(null);
      listener.onReceiveStatus(ended(grpc.status.OK));
      listener.onReceiveStatus(ended(grpc.status.OK));
    });
    expect(told).toEqual(['failure']);
  });

  it('is not sent to who does not know it for a minute, nor where there is no connection', () => {
    const { told, again } = ask((listener) => listener.onReceiveStatus(ended(grpc.status.UNIMPLEMENTED)));
    again(59_999);
    expect(told).toEqual(['failure']);
    again(1);
    expect(told).toEqual(['failure', 'failure']);
    const { told: unconnected } = ask(() => {}, { isConnected: false });
    expect(unconnected).toEqual([]);
  });
});
