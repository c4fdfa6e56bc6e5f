// A server of capacities that may become master, to be killed. Its options come as JSON; it tells where it listens.
import { createCapacityServer, redisMastership } from 'plimsoll/quota';

const { redisUrl, resources } = JSON.parse(process.argv[2]);
const mastership = redisMastership({ url: redisUrl, name: 'gpu' });
const server = createCapacityServer({ resources, mastership });
const { url } = await server.listen();

process.on('message', () => process.send(server.snapshot()));
// Whoever started it is gone, or has seen enough.
process.on('disconnect', () => process.exit(0));
process.send({ url });
