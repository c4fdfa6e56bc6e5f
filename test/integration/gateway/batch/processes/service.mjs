import { createServer } from 'node:http';

/**
 * A service of so many places. Each request takes as long as it says (`?ms=`), the first come are served first, and every
 * answer says how full it is.
 */
const { places } = JSON.parse(process.argv[2]);
const DECAY_MS = 500;
const waiting = [];
let busy = 0;
let level = 0;
let levelMs = performance.now();

function utilization() {
  const now = performance.now();
  level = busy / places + (level - busy / places) * Math.exp(-(now - levelMs) / DECAY_MS);
  levelMs = now;
  return level;
}

function run() {
  while (busy < places && waiting.length > 0) {
    const { ms, res } = waiting.shift();
    utilization();
    busy++;
    setTimeout(() => {
      const report = `TEXT application_utilization=${utilization().toFixed(4)}`;
      busy--;
      res.writeHead(200, ['content-length', '2', 'endpoint-load-metrics', report]);
      res.end('ok');
      run();
    }, ms);
  }
}

const server = createServer((req, res) => {
  const ms = Number(new URL(req.url, 'http://service').searchParams.get('ms'));
  waiting.push({ ms, res });
  run();
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
