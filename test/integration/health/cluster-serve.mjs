// Two workers that `serve`, as an application would write it. A request takes as long as its path says.
import cluster from 'node:cluster';
import { serve, superviseWorkers } from '../../../dist/server/index.js';

if (cluster.isPrimary) {
  const supervision = superviseWorkers();
  let listening = 0;
  cluster.on('listening', async (_, { port }) => {
    if (++listening < 2) return;
    await supervision.listening;
    process.stdout.write(`${JSON.stringify({ port, udpPort: supervision.snapshot().udp.port })}\n`);
  });
  cluster.on('exit', (worker, code, signal) => {
    process.stdout.write(`${JSON.stringify({ exited: worker.process.pid, code, signal })}\n`);
  });
  for (let i = 0; i < 2; i++) cluster.fork();
} else {
  await serve(
    (req, res) => {
      res.setHeader('x-pid', process.pid);
      setTimeout(() => res.end('done'), Number(req.url.slice(1)));
    },
    { host: '127.0.0.1', drain: { spreadMs: 200, timeoutMs: 10_000 } },
  );
}
