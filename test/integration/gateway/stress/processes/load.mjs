// Sends streams of requests, each at its rate, whatever becomes of those before: clients do not wait for each other. A
// message starts a round; what became of each stream is the answer to it. It has connections of its own, with one request
// after the other on each: a client of Node's takes as much of a core as the gateway that it asks.
import { connect } from 'node:net';

/** Each bucket is 4 % longer than the one before. */
const GROWTH = Math.log(1.04);
const TICK_MS = 2;

/** Shorter than any server keeps a connection: whoever asks on one that is just being closed hears nothing. */
const IDLE_MS = 20_000;

/** Of a stream: when nobody answers for a second, not each of its requests needs one more. */
const MOST_CONNECTIONS = 500;
/** Those that wait for one. Who is asked for this much and does not answer has failed. */
const MOST_WAITING = 20_000;

/** One buffer for all: what arrives is read before the next piece is. */
const READ_BUFFER = Buffer.allocUnsafe(65_536);

class Connection {
  constructor(port, pool) {
    this.pool = pool;
    this.request = undefined;
    this.idleSinceMs = 0;
    this.error = undefined;
    this.clear();
    const callback = (length) => {
      this.read(READ_BUFFER.latin1Slice(0, length));
      return true;
    };
    this.socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer: READ_BUFFER, callback },
    });
    this.socket.on('error', (error) => {
      this.error = error;
    });
    this.socket.on('close', () => this.closed());
  }

  clear() {
    this.text = '';
    /** Where the body begins, when the head is there. */
    this.bodyAt = -1;
    /** How long it all is; `undefined`: until the last chunk. */
    this.length = undefined;
    this.isLast = false;
  }

  send(request) {
    this.request = request;
    this.socket.write(request.stream.bytes);
  }

  read(piece) {
    this.text += piece;
    if (this.bodyAt < 0 && !this.readHead()) return;
    const { text, length } = this;
    if (length !== undefined && text.length > length) this.socket.destroy(new Error('more than an answer'));
    else if (length === undefined ? text.endsWith('0\r\n\r\n') : text.length === length) this.answered();
  }

  readHead() {
    const at = this.text.indexOf('\r\n\r\n');
    if (at < 0) return false;
    const head = this.text.slice(0, at);
    this.bodyAt = at + 4;
    this.isLast = /\r\nconnection: *close/i.test(head);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    const hasChunks = /\r\ntransfer-encoding: *chunked/i.test(head);
    this.length = length === undefined && hasChunks ? undefined : this.bodyAt + Number(length ?? 0);
    return true;
  }

  answered() {
    const { request, text, bodyAt, isLast } = this;
    this.request = undefined;
    this.clear();
    request?.answered(Number(text.slice(9, 12)), text, bodyAt);
    if (isLast) this.socket.destroy();
    else this.pool.release(this);
  }

  closed() {
    const { request } = this;
    this.request = undefined;
    this.pool.lose(this);
    request?.failed(this.error?.code ?? this.error?.message ?? 'closed');
  }
}

/** Those of a stream, the last used first, so that there are as few as it needs. */
class Pool {
  constructor(port) {
    this.port = port;
    this.idle = [];
    this.count = 0;
    this.waiting = [];
    this.firstWaiting = 0;
  }

  send(request) {
    const idle = this.idle.pop();
    if (idle !== undefined) idle.send(request);
    else if (this.count < MOST_CONNECTIONS) {
      this.count++;
      new Connection(this.port, this).send(request);
    } else if (this.waiting.length - this.firstWaiting < MOST_WAITING) this.waiting.push(request);
    else request.failed('not sent');
  }

  next() {
    if (this.firstWaiting === this.waiting.length) return undefined;
    const next = this.waiting[this.firstWaiting++];
    if (this.firstWaiting === this.waiting.length || this.firstWaiting === MOST_WAITING) {
      this.waiting.splice(0, this.firstWaiting);
      this.firstWaiting = 0;
    }
    return next;
  }

  release(connection) {
    const next = this.next();
    if (next !== undefined) connection.send(next);
    else {
      connection.idleSinceMs = performance.now();
      this.idle.push(connection);
    }
  }

  lose(connection) {
    this.count--;
    const at = this.idle.indexOf(connection);
    if (at >= 0) this.idle.splice(at, 1);
    const next = this.next();
    if (next !== undefined) this.send(next);
  }

  /** Those that have been idle for longest come first. */
  tidy(nowMs) {
    let old = 0;
    while (old < this.idle.length && nowMs - this.idle[old].idleSinceMs > IDLE_MS) old++;
    for (const connection of this.idle.splice(0, old)) connection.socket.destroy();
  }
}

const pools = new Map();

class Request {
  constructor(stream, dueMs) {
    this.stream = stream;
    this.dueMs = dueMs;
  }

  answered(status, text, bodyAt) {
    const { stream } = this;
    const { result } = stream;
    result.over++;
    result.statuses[status] = (result.statuses[status] ?? 0) + 1;
    if (status === 200) {
      stream.took(performance.now() - this.dueMs);
      return;
    }
    const title = /"title":"([^"]*)"/.exec(text.slice(bodyAt))?.[1] ?? '';
    result.titles[title] = (result.titles[title] ?? 0) + 1;
  }

  failed(why) {
    const { result } = this.stream;
    result.over++;
    result.errors[why] = (result.errors[why] ?? 0) + 1;
  }
}

class Stream {
  constructor(port, { name, path, perSecond, criticality, method = 'GET', body }) {
    this.name = name;
    this.perSecond = perSecond;
    const key = `${name} ${port}`;
    if (!pools.has(key)) pools.set(key, new Pool(port));
    this.pool = pools.get(key);
    const head = [`${method} ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`, 'connection: keep-alive'];
    if (criticality !== undefined) head.push(`x-request-criticality: ${criticality}`);
    if (body !== undefined) head.push(`content-length: ${body.length}`);
    this.bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`, 'latin1');
    this.buckets = [];
    this.result = { sent: 0, statuses: {}, titles: {}, errors: {}, over: 0 };
  }

  /** Those that were due by now. */
  send(sinceMs, nowMs) {
    const { result, perSecond, pool } = this;
    const due = ((nowMs - sinceMs) / 1_000) * perSecond;
    while (result.sent < due) {
      const dueMs = sinceMs + (result.sent / perSecond) * 1_000;
      result.sent++;
      pool.send(new Request(this, dueMs));
    }
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
      for (const pool of pools.values()) pool.tidy(nowMs);
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
