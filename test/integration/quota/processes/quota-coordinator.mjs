// A process that does nothing but coordinate, to be killed. Its options come as JSON.
import { createQuotaCoordinator } from 'plimsoll/quota';

const coordinator = await createQuotaCoordinator(JSON.parse(process.argv[2]));
process.on('message', () => process.send(coordinator.snapshot()));
process.on('disconnect', () => process.exit(0));
process.send({});
