import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

const TYPES = { A: 1, SRV: 33, AAAA: 28 } as const;
const RCODES = { noError: 0, serverFailure: 2, noSuchName: 3 } as const;

export type DnsType = keyof typeof TYPES;

export interface DnsRecord {
  /** An address; for SRV `priority port target`. */
  readonly data: string;
  readonly ttlSeconds?: number;
}

/** How it treats questions: by its table, or not as it should. */
export type DnsManner = 'right' | 'silent' | 'server-failure' | 'garbage' | 'truncated-records';

/** A small name server over UDP: answers from a table, counts questions, and misbehaves when told to. */
export class DnsServer {
  readonly #socket: Socket = createSocket('udp4');
  readonly #table = new Map<string, readonly DnsRecord[]>();
  /** `A orders.internal` for each question, in order. */
  readonly questions: string[] = [];
  manner: DnsManner = 'right';
  /** Manners for some questions only, by `AAAA orders.internal`. */
  readonly manners = new Map<string, DnsManner>();
  delayMs = 0;
  inFlight = 0;
  mostInFlight = 0;

  static async start(): Promise<DnsServer> {
    const server = new DnsServer();
    server.#socket.on('message', (bytes, from) => server.#receive(bytes, from));
    server.#socket.bind(0, '127.0.0.1');
    await once(server.#socket, 'listening');
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  /** No records and no other type either: there is no such name. */
  set(type: DnsType, name: string, records: readonly (string | DnsRecord)[]): void {
    const all = records.map((each) => (typeof each === 'string' ? { data: each } : each));
    this.#table.set(`${type} ${name}`, all);
  }

  delete(type: DnsType, name: string): void {
    this.#table.delete(`${type} ${name}`);
  }

  async close(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }

  #receive(bytes: Buffer, from: RemoteInfo): void {
    // The port may have been somebody else's before: a late answer to them is no question to us.
    if (isAnswer(bytes)) return;
    const { name, type, end } = readQuestion(bytes);
    const key = `${type} ${name}`;
    this.questions.push(key);
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
    const reply = (): void => {
      this.inFlight--;
      const manner = this.manners.get(key) ?? this.manner;
      if (manner === 'silent') return;
      try {
        this.#socket.send(this.#answer(bytes, key, type, name, end, manner), from.port, from.address);
      } catch {
        // Closed meanwhile.
      }
    };
    if (this.delayMs > 0) setTimeout(reply, this.delayMs);
    else reply();
  }

  #answer(asked: Buffer, key: string, type: string, name: string, end: number, manner: DnsManner): Buffer {
    if (manner === 'garbage') return Buffer.concat([asked.subarray(0, 2), Buffer.from('no answer at all')]);
    const records = this.#table.get(key) ?? [];
    const isName = [...this.#table.keys()].some((each) => each.endsWith(` ${name}`));
    const rcode =
      manner === 'server-failure' ? RCODES.serverFailure : isName ? RCODES.noError : RCODES.noSuchName;
    const header = Buffer.alloc(12);
    header.writeUInt16BE(asked.readUInt16BE(0), 0);
    header.writeUInt16BE(0x8580 | rcode, 2);
    header.writeUInt16BE(1, 4);
    const answers = rcode === RCODES.noError ? records.map((record) => writeRecord(type, record)) : [];
    header.writeUInt16BE(answers.length, 6);
    const all = Buffer.concat([header, asked.subarray(12, end), ...answers]);
    // It says that there are records, and then there are none.
    return manner === 'truncated-records' ? all.subarray(0, end + 5) : all;
  }
}

function isAnswer(bytes: Buffer): boolean {
  return bytes.length < 17 || (bytes[2]! & 0x80) !== 0;
}

function readQuestion(bytes: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = bytes[at]!; length > 0; length = bytes[at]!) {
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const number = bytes.readUInt16BE(at + 1);
  const type = Object.entries(TYPES).find(([, each]) => each === number)?.[0] ?? String(number);
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 };
}

function writeRecord(type: string, { data, ttlSeconds = 1 }: DnsRecord): Buffer {
  const body = writeData(type, data);
  const head = Buffer.alloc(12);
  // The name of the question, by pointer.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(TYPES[type as DnsType], 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttlSeconds, 6);
  head.writeUInt16BE(body.length, 10);
  return Buffer.concat([head, body]);
}

function writeData(type: string, data: string): Buffer {
  if (type === 'A') return Buffer.from(data.split('.').map(Number));
  if (type === 'AAAA') return writeIpv6(data);
  const [priority, port, target] = data.split(' ') as [string, string, string];
  const fixed = Buffer.alloc(6);
  fixed.writeUInt16BE(Number(priority), 0);
  fixed.writeUInt16BE(Number(port), 4);
  const labels = target.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([fixed, ...labels, Buffer.from([0])]);
}

function writeIpv6(address: string): Buffer {
  const [left = '', right = ''] = address.split('::');
  const words = (text: string) =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
  const [front, back] = [words(left), words(right)];
  const all = [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}
