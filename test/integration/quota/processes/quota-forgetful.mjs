// Has a quota, and nothing else to do: it forgets to close it. Its options come as JSON.
import { createQuota } from 'plimsoll/quota';

const quota = await createQuota(JSON.parse(process.argv[2]));
process.send(quota.stage);
