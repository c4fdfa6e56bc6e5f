// Accepts requests by HTTP and performs them, in a process of its own that is to be killed. What it has performed it
// writes down where a kill cannot take it back.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createOverflowQueue, readBody } from 'plimsoll/rate-limit';

const { url, file, takeOverMs } = JSON.parse(process.argv[2]);

const queue = await createOverflowQueue({
  url,
  takeOverMs,
  concurrency: 20,
  perform: async ({ id, body }) => {
    appendFileSync(file, `started ${id}\n`);
    await wait(20 + Math.random() * 80);
    appendFileSync(file, `performed ${id}\n`);
    return { status: 200, body: `did ${body}` };
  },
});

const server = createServer(async (req, res) => {
  if (await queue.handleStatus(req, res)) return;
  const read = await readBody(req, { maxBytes: queue.maxBodyBytes, timeoutMs: 1_000 });
  const nowMs = Date.now();
  const dueMs = nowMs + Math.random() * 400;
  const { method, url: path, rawHeaders: headers } = req;
  const answer =
    'answer' in read
      ? read.answer
      : await queue.accept({
          method,
          url: path,
          headers,
          body: read.body,
          rule: 'r',
          key: 'k',
          dueMs,
          nowMs,
        });
  res.writeHead(answer.status, answer.headers).end(answer.body);
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
// Whoever started it is gone.
process.on('disconnect', () => process.exit(3));
