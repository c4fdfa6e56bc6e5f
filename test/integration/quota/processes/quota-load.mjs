// Sends requests of several customers to all backends alike, each at its own instant whatever became of those before. What it
// should send comes as messages; it tells what became of them since it was last asked.
import { Agent, request } from 'node:http';

let ports = [];
/** By API key, requests a second. */
let rates = {};
let dueMs = {};
let counts = {};
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

const between = (perSecond) => (-Math.log(1 - Math.random()) * 1_000) / perSecond;
const countsOf = (key) => {
  counts[key] ??= { sent: 0, statuses: {}, errors: 0, latencies: [] };
  return counts[key];
};

function send(key, atMs) {
  const of = countsOf(key);
  of.sent++;
  const port = ports[Math.floor(Math.random() * ports.length)];
  const req = request({ host: '127.0.0.1', port, agent, headers: { 'x-api-key': key } }, (res) => {
    res.resume();
    res.on('end', () => {
      of.statuses[res.statusCode] = (of.statuses[res.statusCode] ?? 0) + 1;
      if (res.statusCode === 200) of.latencies.push(performance.now() - atMs);
    });
  });
  req.on('error', () => of.errors++);
  req.end();
}

setInterval(() => {
  const now = performance.now();
  for (const [key, perSecond] of Object.entries(rates)) {
    dueMs[key] ??= now + between(perSecond);
    for (; dueMs[key] <= now; dueMs[key] += between(perSecond)) send(key, dueMs[key]);
  }
}, 1);

process.on('message', ({ to, at }) => {
  if (to !== undefined) ports = to;
  if (at !== undefined) {
    rates = at;
    // Those who send more now do not wait for what they would have sent next.
    dueMs = {};
  }
  const { user, system } = process.cpuUsage();
  process.send({ counts, cpu: (user + system) / 1e6 });
  counts = {};
});
process.on('disconnect', () => process.exit(0));
