// A program that uses capacity and closes nothing: it ends when it has nothing more to do.
import * as grpc from '@grpc/grpc-js';
import { grpcCapacity } from 'plimsoll/grpc';
import { createCapacityClient } from 'plimsoll/quota';

const url = process.argv[2];
const transport = grpcCapacity(grpc);
const client = createCapacityClient({ url, resource: 'gpu', hurryMs: 100, wants: 50, transport });
// Somebody awaits these: the process stays until they have passed, the first of them before there is a lease.
for (let i = 0; i < 10; i++) await client.take();
process.stdout.write('done\n');
