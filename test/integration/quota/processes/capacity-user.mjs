// A program that uses capacity and closes nothing: it ends when it has nothing more to do.
import { createCapacityClient } from 'plimsoll/quota';

const client = createCapacityClient({ url: process.argv[2], resource: 'gpu', hurryMs: 100, wants: 50 });
// Somebody awaits these: the process stays until they have passed, the first of them before there is a lease.
for (let i = 0; i < 10; i++) await client.take();
process.stdout.write('done\n');
