// Two batch jobs with a connection for each request, and people who use the same service meanwhile: jobs wait in a fair queue,
// people do not. Run: npm test -- examples
import { Agent, get } from 'node:http';
import { createGateway, parseGatewaySettings } from 'plimsoll/gateway';
import { serve } from 'plimsoll/server';

const WORK_MS = 2;
const service = await serve(
  (_req, res) => {
    const until = performance.now() + WORK_MS;
    while (performance.now() < until);
    res.end('done');
  },
  { host: '127.0.0.1', exitOnSignal: false },
);

const gateway = await createGateway(
  parseGatewaySettings(`
listen: 127.0.0.1:0
log: { level: "off" }
services:
  work: { backends: ["http://127.0.0.1:${service.port}"] }
routes:
  - { name: batch, path: /batch, to: work, batch: { job: "header:x-job", mostPerSecond: 150, maxUnderWay: 4 } }
  - { name: people, to: work }
`),
);
const [at] = await gateway.listen();

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
/** Status, and how long it took. */
function ask(path: string, job = ''): Promise<{ status: number; tookMs: number }> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: at!.port, path, agent, headers: { 'x-job': job } }, (answer) => {
      answer
        .resume()
        .on('end', () => resolve({ status: answer.statusCode!, tookMs: performance.now() - startedMs }));
    }).on('error', reject);
  });
}

const startedMs = performance.now();
const ends: Record<string, number[]> = { large: [], small: [] };
const jobs = Object.entries({ large: 150, small: 25 }).flatMap(([job, requests]) =>
  Array.from({ length: requests }, async () => {
    const { status } = await ask('/batch', job);
    if (status === 200) ends[job]!.push(performance.now() - startedMs);
  }),
);
const people: number[] = [];
const asking = (async () => {
  for (let request = 0; request < 40; request++) {
    people.push((await ask('/')).tookMs);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
})();
await Promise.all([...jobs, asking]);

for (const [job, at] of Object.entries(ends))
  console.log(`job ${job}: ${at.length} served, the last after ${(Math.max(...at) / 1_000).toFixed(1)} s`);
people.sort((a, b) => a - b);
console.log(`people: half were answered within ${people[people.length >> 1]!.toFixed(0)} ms`);
console.log('the queue', gateway.snapshot().routes['batch']?.batch?.counts);

agent.destroy();
await gateway.close({ spreadMs: 0, timeoutMs: 1_000 });
await service.close({ spreadMs: 0, timeoutMs: 1_000 });
