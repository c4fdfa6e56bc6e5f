// A server that can do 500 requests a second is sent 2,000, a tenth of them critical. Run: npm test -- examples
import { get } from 'node:http';
import { serve } from 'plimsoll/server';

const WORK_MS = 2;

/** Keeps the processor busy, as parsing, rendering or hashing does. */
function work(): void {
  const until = performance.now() + WORK_MS;
  while (performance.now() < until);
}

const running = await serve(
  (_req, res) => {
    work();
    res.end('done');
  },
  { host: '127.0.0.1', exitOnSignal: false },
);

const seen = { critical: { served: 0, refused: 0 }, other: { served: 0, refused: 0 } };

function send(criticality: 'CRITICAL_PLUS' | 'SHEDDABLE'): Promise<void> {
  const counts = criticality === 'CRITICAL_PLUS' ? seen.critical : seen.other;
  return new Promise((resolve, reject) => {
    const headers = { 'x-request-criticality': criticality };
    get({ host: '127.0.0.1', port: running.port, headers }, (answer) => {
      if (answer.statusCode === 200) counts.served++;
      else counts.refused++;
      answer.resume().on('end', resolve);
    }).on('error', reject);
  });
}

const sent: Promise<void>[] = [];
const startedMs = performance.now();
while (sent.length < 4_000) {
  const due = Math.min(4_000, (performance.now() - startedMs) * 2);
  while (sent.length < due) sent.push(send(sent.length % 10 === 0 ? 'CRITICAL_PLUS' : 'SHEDDABLE'));
  await new Promise((resolve) => setTimeout(resolve, 1));
}
await Promise.all(sent);

console.log('critical ', seen.critical);
console.log('sheddable', seen.other);
console.log(running.guard.snapshot().why);
await running.close({ spreadMs: 0, timeoutMs: 1_000 });
