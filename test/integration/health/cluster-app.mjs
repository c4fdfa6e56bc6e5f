// A service of two workers, as small as can be. The primary writes a line of JSON for each thing that its test waits for.
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import {
  HealthPages,
  joinCluster,
  StateListeners,
  superviseWorkers,
} from '../../../dist/server/health/index.js';

const options = JSON.parse(process.argv[2] ?? '{}');

function say(what) {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

function primary() {
  const supervision = superviseWorkers({ host: '127.0.0.1', ...options.supervise });
  let listening = 0;
  cluster.on('listening', async (_, { port }) => {
    if (++listening < 2) return;
    await supervision.listening;
    say({ port, udpPort: supervision.snapshot().udp?.port });
  });
  cluster.on('exit', (worker, code, signal) => say({ exited: worker.process.pid, code, signal }));
  process.on('SIGUSR2', () => say({ snapshot: supervision.snapshot() }));
  for (let i = 0; i < 2; i++) cluster.fork();
}

function worker() {
  let state = 'ready';
  const listeners = new StateListeners(state);
  const become = (next) => {
    state = next;
    listeners.tell(next);
  };
  const own = {
    state: () => state,
    loadReport: () => ({ inFlight: 2, cpuUtilization: 0.5 }),
    onStateChange: (listener) => listeners.add(listener),
  };
  const end = () => {
    become('lame-duck');
    if (options.hang) return;
    pages.close();
    server.closeAllConnections();
    server.close(() => {
      member.close();
      process.exit(0);
    });
  };
  const member = joinCluster(own, end);
  const pages = new HealthPages(member.source, { heartbeatMs: 60_000 });
  // Each request on a connection of its own, which the primary deals out in turn.
  const server = createServer((req, res) => {
    res.setHeader('connection', 'close');
    res.setHeader('x-pid', process.pid);
    if (pages.handle(req, res, true)) return;
    if (req.url === '/alone') process.send({ plimsoll: 'health', health: { state: 'nonsense' } });
    else if (req.url === '/crash') process.exit(1);
    else become(req.url.slice(1));
    res.end();
  });
  // As with a signal to the whole group: the primary's word comes on top of it.
  process.on('SIGTERM', end);
  server.listen(0, '127.0.0.1');
}

if (cluster.isPrimary) primary();
else worker();
