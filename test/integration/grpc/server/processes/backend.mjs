// A guarded server of grpc-js in a process of its own: answers after a few milliseconds, streams for as long as it lives, drains
// on SIGTERM.
import * as grpc from '@grpc/grpc-js';
import { guardGrpc } from 'plimsoll/grpc';
import { createGuard } from 'plimsoll/server';

const { port, drain, options = {} } = JSON.parse(process.argv[2]);

const asIs = (bytes) => bytes;
const codec = {
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
};

const guard = createGuard({ health: { udp: false }, ...options });
const server = guardGrpc(new grpc.Server(), guard);
server.addService(
  {
    unary: { path: '/test.Echo/Unary', requestStream: false, responseStream: false, ...codec },
    forever: { path: '/test.Echo/Forever', requestStream: false, responseStream: true, ...codec },
  },
  {
    unary: (call, callback) => setTimeout(() => callback(null, call.request), 3),
    forever: (call) => {
      const timer = setInterval(() => call.write(call.request), 50);
      call.on('cancelled', () => clearInterval(timer));
      call.write(call.request);
    },
  },
);
server.bindAsync(`127.0.0.1:${port}`, grpc.ServerCredentials.createInsecure(), (error, bound) =>
  process.send(error ? { failed: error.message } : { port: bound }),
);
process.once('SIGTERM', async () => {
  await guard.drain(drain);
  process.exit(0);
});
// Whoever started it is gone.
process.on('disconnect', () => process.exit(3));
