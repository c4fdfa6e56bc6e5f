// A load generator in a process of its own: bytes over sockets, so that it costs less than what it measures.
import { connect } from 'node:net';
import { answerQuestions } from '../overload/questions.js';
import { GrpcCaller } from './grpc-caller.js';
import { HttpCaller } from './http-caller.js';

export interface LoadPlan {
  readonly kind: 'grpc' | 'http';
  readonly port: number;
  /** Calls under way at any time, and over how many connections. */
  readonly calls: number;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly ms: number;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Answers a second. */
async function run({ kind, port, calls, connections, warmUpMs, ms }: LoadPlan): Promise<number> {
  const callers = Array.from({ length: connections }, () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    return kind === 'grpc'
      ? new GrpcCaller(socket, calls / connections)
      : new HttpCaller(socket, calls / connections);
  });
  const answered = () => callers.reduce((sum, caller) => sum + caller.answered, 0);
  await sleep(warmUpMs);
  const before = answered();
  const startedMs = performance.now();
  await sleep(ms);
  const count = answered() - before;
  const tookMs = performance.now() - startedMs;
  for (const caller of callers) caller.close();
  if (count === 0) throw new Error(`${kind} was not answered at all`);
  return (count / tookMs) * 1_000;
}

answerQuestions({ run });
