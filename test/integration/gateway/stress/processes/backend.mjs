// A backend of few places: each request takes some time in one of them, and stands in line for it. Its options come as
// JSON; it tells where it listens. SIGTERM ends it as servers end: what has come is answered, and nobody is cut off.
import { createServer } from 'node:http';

const { port = 0, places = 1_000, workMs = 0, body = 'served' } = JSON.parse(process.argv[2]);
const line = [];
let running = 0;
let isEnding = false;

const server = createServer((req, res) => {
  req.resume();
  if (req.url.startsWith('/plimsoll/')) res.writeHead(404).end();
  else {
    line.push(res);
    next();
  }
});
server.keepAliveTimeout = 75_000;

function next() {
  while (running < places && line.length > 0) {
    running++;
    const res = line.shift();
    if (workMs === 0) answer(res);
    else setTimeout(answer, workMs, res);
  }
}

function answer(res) {
  running--;
  if (isEnding) res.setHeader('connection', 'close');
  res.end(body);
  next();
}

process.on('SIGTERM', () => {
  isEnding = true;
  server.close(() => process.exit(0));
});
process.on('disconnect', () => process.exit(0));
server.listen(port, '127.0.0.1', 1_024, () => process.send({ port: server.address().port }));
