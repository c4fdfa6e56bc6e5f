import { connect } from 'node:net';

/**
 * Clients of one job. Closed: each connection asks again as soon as it is answered. Open: requests come at random, so
 * many a second, whatever becomes of them. How long requests take is drawn from a seed: the same in every run.
 */
const { port, connections, perSecond, meanMs, headers = '', seed = 1 } = JSON.parse(process.argv[2]);
let state = seed >>> 0;
const counts = { connected: 0, done: 0, failed: 0 };
let latencies = [];

function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

function exponential(mean) {
  return -Math.log(1 - random()) * mean;
}

class Connection {
  #socket;
  #text = '';
  #onAnswer = undefined;

  constructor(onConnect) {
    this.#socket = connect(port, '127.0.0.1', () => {
      counts.connected++;
      onConnect(this);
    });
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#onData(chunk));
    this.#socket.on('error', () => counts.failed++);
  }

  ask(ms, onAnswer) {
    this.#onAnswer = onAnswer;
    this.#socket.write(`GET /?ms=${ms.toFixed(3)} HTTP/1.1\r\nhost: service\r\n${headers}\r\n`);
  }

  #onData(chunk) {
    this.#text += chunk.toString('latin1');
    const end = this.#text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#text)[1]);
    if (this.#text.length < end + 4 + length) return;
    if (this.#text.startsWith('HTTP/1.1 200')) counts.done++;
    else counts.failed++;
    this.#text = '';
    this.#onAnswer(this);
  }
}

function again(connection) {
  connection.ask(exponential(meanMs), again);
}

/** A few at a time: a burst would only fill the kernel's queue. */
async function openAll(onConnect) {
  for (let opened = 0; opened < connections; opened += 100) {
    for (let i = opened; i < Math.min(connections, opened + 100); i++) new Connection(onConnect);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Arrivals that a late timer has missed come when it fires: latency counts from when they should have come. */
function comeAndGo() {
  const idle = [];
  let dueMs = performance.now();
  const ask = (connection, ms, fromMs) =>
    connection.ask(ms, () => {
      latencies.push(performance.now() - fromMs);
      idle.push(connection);
    });
  setInterval(() => {
    for (; dueMs <= performance.now(); dueMs += exponential(1_000 / perSecond)) {
      const [ms, fromMs] = [exponential(meanMs), dueMs];
      const connection = idle.pop();
      if (connection === undefined) new Connection((made) => ask(made, ms, fromMs));
      else ask(connection, ms, fromMs);
    }
  }, 1);
}

if (perSecond === undefined) openAll(again);
else comeAndGo();
process.on('message', () => {
  process.send({ ...counts, latencies });
  latencies = [];
});
process.on('disconnect', () => process.exit());
