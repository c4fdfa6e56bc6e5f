// A gateway in front of two backends that know nothing of it: keys, limits, health, one that dies. Run: npm test -- examples
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createGateway, parseGatewaySettings } from 'plimsoll/gateway';

async function backend(name: string): Promise<{ server: Server; url: string }> {
  const server = createServer((req, res) => res.end(`${name} for ${req.headers['x-plimsoll-customer']}`));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` };
}

const first = await backend('first');
const second = await backend('second');
const digest = createHash('sha256').update('key-of-acme').digest('hex');

// What `plimsoll gateway plimsoll.yaml` reads from a file.
const settings = parseGatewaySettings(`
listen: 127.0.0.1:0
log: { level: "off" }
identity:
  apiKeys:
    keys: { "sha256:${digest}": acme }
services:
  web: { backends: ["${first.url}", "${second.url}"], policy: least-loaded }
limits:
  orders: { rate: 2/min, key: customer, algorithm: sliding-log }
routes:
  - { path: /orders, to: web, identity: required, limits: [orders] }
  - { to: web }
`);
const gateway = await createGateway(settings);
const [at] = await gateway.listen();

async function ask(path: string, key?: string): Promise<string> {
  const headers: Record<string, string> = key === undefined ? {} : { 'x-api-key': key };
  const answer = await fetch(`http://127.0.0.1:${at!.port}${path}`, { headers });
  return `${answer.status} ${answer.ok ? await answer.text() : answer.statusText}`;
}

console.log('anybody              ', await ask('/'));
console.log('orders without a key ', await ask('/orders'));
for (let order = 1; order <= 3; order++)
  console.log(`order ${order} of acme      `, await ask('/orders', 'key-of-acme'));
console.log('another way to write ', await ask('//Orders/', 'key-of-acme'));

first.server.closeAllConnections();
first.server.close();
const answers = new Set<string>();
for (let request = 0; request < 50; request++) answers.add(await ask('/'));
console.log('one backend is gone  ', [...answers]);
console.log('its state            ', gateway.snapshot().services['web']?.states);

await gateway.close({ spreadMs: 0, timeoutMs: 1_000 });
second.server.closeAllConnections();
second.server.close();
