// A backend that gives back what it is sent, in a process of its own: it ends on SIGTERM as a guarded server does.
import { setTimeout as wait } from 'node:timers/promises';
import { serve } from 'plimsoll/server';

async function echo(req, res) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  await wait(2 + Math.random() * 8);
  res.end(req.method === 'GET' ? req.url : Buffer.concat(chunks));
}

const { port } = await serve(echo, {
  host: '127.0.0.1',
  port: Number(process.argv[2]),
  // A machine that is busy with other tests must not make it refuse anything: that is not what is tried here.
  mode: 'dry-run',
  drain: { spreadMs: 300, timeoutMs: 10_000 },
});
// Whoever started it is gone.
process.on('disconnect', () => process.exit(3));
process.send(port);
