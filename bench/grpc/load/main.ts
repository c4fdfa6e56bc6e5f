// The process that makes calls of gRPC, as that of the overload bench makes requests.
import { type SaturateOptions, saturate } from '../../overload/load/closed-loop.js';
import { Flood, type FloodOptions } from '../../overload/load/open-loop.js';
import { answerQuestions } from '../../overload/questions.js';
import { type CallHeaders, CallLines } from './call-lines.js';

const TIMEOUT_MS = 1_000;

let lines: CallLines | undefined;

function opened(): CallLines {
  if (lines === undefined) throw new Error('no connections are open');
  return lines;
}

/** As a client of grpc-js sends it. */
function callOf(criticality?: string): CallHeaders {
  return {
    ':method': 'POST',
    ':path': '/bench.Work/Do',
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-timeout': `${TIMEOUT_MS}m`,
    'grpc-accept-encoding': 'identity,deflate,gzip',
    'user-agent': 'bench',
    ...(criticality === undefined ? {} : { 'x-request-criticality': criticality }),
  };
}

answerQuestions({
  open: async ({ port }: { port: number }) => {
    lines?.close();
    lines = await CallLines.open(port, TIMEOUT_MS);
  },
  flood: (options: FloodOptions) => new Flood(opened(), options, callOf).run(),
  saturate: (options: SaturateOptions) => saturate(opened(), options, callOf()),
  close: () => {
    lines?.close();
    lines = undefined;
  },
});
