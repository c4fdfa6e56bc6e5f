// Sends streams of requests, each at its rate, whatever becomes of those before: clients do not wait for each other. A
// message starts a round; what became of each stream is the answer to it.
import { Agent, request } from 'node:http';

/** Each bucket is 4 % longer than the one before. */
const GROWTH = Math.log(1.04);
const TICK_MS = 2;

/** Shorter than any server keeps a connection: whoever asks on one that is just being closed hears nothing. */
const IDLE_MS = 20_000;

const agents = new Map();

class Stream {
  constructor(port, { name, path, perSecond, criticality, method = 'GET', body }) {
    this.name = name;
    this.perSecond = perSecond;
    this.body = body;
    if (!agents.has(name))
      agents.set(name, new Agent({ keepAlive: true, maxFreeSockets: 2_000, timeout: IDLE_MS }));
    const headers = criticality === undefined ? {} : { 'x-request-criticality': criticality };
    if (body !== undefined) headers['content-length'] = body.length;
    this.options = { host: '127.0.0.1', port, path, method, headers, agent: agents.get(name) };
    this.buckets = [];
    this.result = { sent: 0, statuses: {}, titles: {}, errors: {}, over: 0 };
  }

  /** Those that were due by now. */
  send(sinceMs, nowMs) {
    const due = ((nowMs - sinceMs) / 1_000) * this.perSecond;
    while (this.result.sent < due) this.one(sinceMs + (this.result.sent / this.perSecond) * 1_000);
  }

  one(dueMs) {
    const { result } = this;
    result.sent++;
    let isOver = false;
    const end = (table, key) => {
      if (isOver) return;
      isOver = true;
      result.over++;
      table[key] = (table[key] ?? 0) + 1;
    };
    const asked = request(this.options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => {
        if (answer.statusCode !== 200) text += piece;
      });
      answer.on('end', () => {
        if (answer.statusCode === 200) this.took(performance.now() - dueMs);
        else {
          const title = /"title":"([^"]*)"/.exec(text)?.[1] ?? '';
          result.titles[title] = (result.titles[title] ?? 0) + 1;
        }
        end(result.statuses, answer.statusCode);
      });
      answer.on('error', (error) => end(result.errors, error.code ?? error.message));
      answer.on('close', () => end(result.errors, 'closed'));
    });
    asked.on('error', (error) => end(result.errors, error.code ?? error.message));
    asked.end(this.body);
  }

  took(ms) {
    const bucket = Math.max(0, Math.ceil(Math.log(ms / 0.05) / GROWTH));
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
  }

  quantile(part) {
    const all = this.buckets.reduce((sum, count) => sum + (count ?? 0), 0);
    let left = all * part;
    for (const [bucket, count = 0] of this.buckets.entries()) {
      left -= count;
      if (left < 0) return 0.05 * Math.exp(bucket * GROWTH);
    }
    return 0;
  }

  summary() {
    return { ...this.result, p50Ms: this.quantile(0.5), p99Ms: this.quantile(0.99) };
  }
}

/** How late timers of this process were, at the worst: what it measures is no better than that. */
function round({ port, streams: given, seconds, patienceMs = 5_000 }) {
  const streams = given.map((each) => new Stream(port, each));
  const beganMs = performance.now();
  let lastMs = beganMs;
  let lagMs = 0;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const nowMs = performance.now();
      const sendUntilMs = Math.min(nowMs, beganMs + seconds * 1_000);
      lagMs = Math.max(lagMs, nowMs - lastMs - TICK_MS);
      lastMs = nowMs;
      for (const stream of streams) stream.send(beganMs, sendUntilMs);
      if (nowMs < beganMs + seconds * 1_000) return;
      const isOver = streams.every(({ result }) => result.over === result.sent);
      if (!isOver && nowMs < beganMs + seconds * 1_000 + patienceMs) return;
      clearInterval(timer);
      resolve({ lagMs, streams: Object.fromEntries(streams.map((each) => [each.name, each.summary()])) });
    }, TICK_MS);
  });
}

process.on('message', async (wanted) => process.send(await round(wanted)));
process.on('disconnect', () => process.exit(0));
process.send('ready');
