// Three hops: who asks, how critical it is and how long is left go along without a line of code, and what the last one
// refuses is tried again by the layer right above it alone. Run: npm test -- examples
import { type Client, createClient } from 'plimsoll/client';
import { currentRequest, serve, withCriticality } from 'plimsoll/server';

const local = { host: '127.0.0.1', exitOnSignal: false } as const;
const toServer = ({ port }: { port: number }, name: string) =>
  createClient({ name, backends: [`http://127.0.0.1:${port}`], retry: { budget: { ratio: 1 } } });

function whatIsKnown(): string {
  const { criticality, customer, traceId } = currentRequest()!;
  const leftMs = Math.ceil(currentRequest()!.remainingMs() / 100) * 100;
  return `${criticality.padEnd(13)} for ${customer}, at most ${leftMs} ms left, trace ${traceId?.slice(0, 4)}…`;
}

let isFull = false;
let asked = 0;
const database = await serve((_req, res) => {
  asked++;
  if (isFull) res.writeHead(503, { 'x-envoy-overloaded': 'true' }).end();
  else res.end(whatIsKnown());
}, local);
const toDatabase = toServer(database, 'database');

const orders = await serve(async (_req, res) => {
  const known = whatIsKnown();
  await new Promise((resolve) => setTimeout(resolve, 300)); // some work; the deadline does not wait
  const needed = await (await toDatabase.fetch('/rows')).text();
  // What is nice to have goes first when the database has too much to do.
  const nice = isFull
    ? ''
    : await withCriticality('SHEDDABLE', async () => (await toDatabase.fetch('/similar')).text());
  res.end(`orders    ${known}\ndatabase  ${needed}\nsimilar   ${nice}`);
}, local);
const toOrders = toServer(orders, 'orders');

const web = await serve(async (_req, res) => {
  const known = whatIsKnown();
  const answer = await (await toOrders.fetch('/orders/7')).text();
  res.end(`web       ${known}\n${answer}`);
}, local);
const toWeb = toServer(web, 'web');

const call = { criticality: 'CRITICAL_PLUS', customer: 'acme', timeoutMs: 2_000 } as const;
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
console.log(await (await toWeb.fetch('/', { ...call, headers: { traceparent } })).text());

isFull = true;
asked = 0;
const attemptsOf = (client: Client) =>
  client.snapshot().counts.attempts.reduce((sum, count) => sum + count, 0);
const before = { orders: attemptsOf(toOrders), web: attemptsOf(toWeb) };
const error = await toWeb.fetch('/', call).then(
  ({ status }) => ({ code: status }),
  (reason: { code: string }) => reason,
);
console.log('\nthe database is full, and who asks web hears', error.code);
console.log('database was asked', asked, 'times,');
console.log('orders', attemptsOf(toOrders) - before.orders, 'and web', attemptsOf(toWeb) - before.web);

for (const client of [toWeb, toOrders, toDatabase]) await client.close();
for (const server of [web, orders, database]) await server.close({ spreadMs: 0, timeoutMs: 1_000 });
