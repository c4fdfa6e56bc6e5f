// A server of its own process, told by messages what to do. Its options come as JSON.
import { serve } from 'plimsoll/server';

const options = JSON.parse(process.argv[2]);

/** `/slow/50` answers after 50 ms, `/never` never, what has a body when it is there, everything else at once. */
async function handler(req, res) {
  if (req.url === '/never') return undefined;
  for await (const _ of req);
  const [, kind, ms] = req.url.split('/');
  if (kind !== 'slow') return res.end(`hello from ${process.pid}`);
  return new Promise((resolve) => {
    setTimeout(() => resolve(res.end('at last')), Number(ms));
  });
}

const tell = (message) => process.connected && process.send(message);

try {
  const running = await serve(handler, {
    host: '127.0.0.1',
    onError: () => {},
    onDrained: () => tell({ drained: running.guard.state }),
    ...options,
  });
  process.on('message', (command) => {
    if (command === 'ready') running.guard.ready();
    tell({ snapshot: running.guard.snapshot() });
  });
  // Whoever started it is gone.
  process.on('disconnect', () => process.exit(3));
  tell({ port: running.port });
} catch (error) {
  tell({ failed: error.code });
  process.disconnect();
}
