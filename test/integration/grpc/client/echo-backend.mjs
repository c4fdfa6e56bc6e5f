/**
 * A backend of its own process: forked with a port, 0 for any. Asked to end it first says in its trailers that it wants no more
 * calls, then GOAWAY, and ends when all are answered.
 */
import * as grpc from '@grpc/grpc-js';

const SPREAD_MS = 200;

const bytes = (value) => value;
const server = new grpc.Server();
let isLameDuck = false;

server.addService(
  {
    say: {
      path: '/test.Echo/Say',
      requestStream: false,
      responseStream: false,
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    },
  },
  {
    say: ({ request }, done) => {
      setTimeout(() => {
        const trailers = new grpc.Metadata();
        if (isLameDuck) trailers.set('x-envoy-immediate-health-check-fail', 'true');
        done(null, request, trailers);
      }, Math.random() * 5);
    },
  },
);

server.bindAsync(`127.0.0.1:${process.argv[2]}`, grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.send(port);
});

process.on('SIGTERM', () => {
  isLameDuck = true;
  setTimeout(() => server.tryShutdown(() => process.exit(0)), SPREAD_MS);
});
