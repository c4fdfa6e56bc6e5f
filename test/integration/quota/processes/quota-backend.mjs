// A backend of a fleet with quotas: each request burns CPU, and what the handlers of each customer have used is added up by
// the operating system's own count. Its options come as JSON; it tells where it listens, and whatever it is asked for.
import { createQuota } from 'plimsoll/quota';
import { serve } from 'plimsoll/server';

const { quota: quotaOptions, burnMs, keys } = JSON.parse(process.argv[2]);

/** By customer, in seconds. */
const used = {};

/** Time in which somebody else has the processor is not counted, and burns nothing. */
function burn(ms) {
  const until = cpuSeconds() + ms / 1_000;
  while (cpuSeconds() < until) for (let i = 0; i < 5_000; i++) Math.sqrt(i);
}

function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const customerOf = ({ headers }) => keys[headers['x-api-key']];
const quota = await createQuota(quotaOptions);
const running = await serve(
  (req, res) => {
    const before = cpuSeconds();
    burn(burnMs * (0.9 + 0.2 * Math.random()));
    res.end();
    const customer = customerOf(req);
    used[customer] = (used[customer] ?? 0) + cpuSeconds() - before;
  },
  {
    host: '127.0.0.1',
    exitOnSignal: false,
    quota,
    customer: (head) => keys[head.header('x-api-key')],
  },
);

const answers = {
  read: () => ({
    used,
    cpu: cpuSeconds(),
    quota: quota.snapshot(),
    utilization: running.guard.loadReport(),
  }),
  close: async () => {
    await running.close({ timeoutMs: 1_000 });
    await quota.close();
    process.disconnect();
    return {};
  },
};

process.on('message', async (question) => {
  const answer = await answers[question]();
  if (process.connected) process.send(answer);
});
process.on('disconnect', () => setTimeout(() => process.exit(3), 2_000).unref());
process.send({ port: running.port });
