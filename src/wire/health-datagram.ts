import { Buffer } from 'node:buffer';
import type { GateState, LoadReport } from '../core/index.js';
import { HEALTH_STATES } from './health-line.js';
import { isLoadNumber } from './load-report.js';

/**
 * Health over UDP: every datagram has 64 bytes, whichever way it goes, so that an answer is never longer than what asked
 * for it. docs/wire.md has the layout as a table.
 */
export const DATAGRAM_BYTES = 64;
export const TOKEN_BYTES = 16;
export const COOKIE_BYTES = 8;

/** From a client: a question, or the receipt of a push. */
export interface ClientDatagram {
  readonly kind: 'check' | 'ack';
  /** The client's, random and secret: what does not repeat it did not come from who was asked. */
  readonly token: Uint8Array;
  /** The server's, as last told; zeros at first. It proves that the client is where it says. */
  readonly cookie: Uint8Array;
  /** Of a check the client's own number, repeated by the answer; of an ack that of the push. */
  readonly sequence: number;
  /** Whether it wants to hear of changes that it did not ask for. */
  readonly wantsPushes: boolean;
}

/** From a server: an answer, or news that nobody asked for. */
export interface ServerDatagram {
  readonly kind: 'answer' | 'push';
  readonly token: Uint8Array;
  readonly cookie: Uint8Array;
  readonly sequence: number;
  readonly state: GateState;
  readonly report: LoadReport;
}

const MAGIC = 0x504c494d; // "PLIM"
const VERSION = 1;
const WANTS_PUSHES = 1;

const KINDS = ['check', 'answer', 'push', 'ack'] as const;
const NUMBERS: readonly (keyof LoadReport)[] = [
  'cpuUtilization',
  'applicationUtilization',
  'requestsPerSecond',
  'errorsPerSecond',
  'inFlight',
  'latencyMs',
];

const VERSION_AT = 4;
const KIND_AT = 5;
const FLAGS_AT = 6;
const STATE_AT = 7;
const TOKEN_AT = 8;
const COOKIE_AT = TOKEN_AT + TOKEN_BYTES;
const SEQUENCE_AT = COOKIE_AT + COOKIE_BYTES;
const PRESENT_AT = SEQUENCE_AT + 4;
const NUMBERS_AT = 40;

/** The largest that four bytes of floating point hold. */
const MOST_FLOAT = 3.4028234663852886e38;

/** Writes a datagram into 64 bytes, new ones unless given. */
export function encodeDatagram(
  datagram: ClientDatagram | ServerDatagram,
  into: Buffer = Buffer.allocUnsafe(DATAGRAM_BYTES),
): Buffer {
  into.fill(0);
  into.writeUInt32BE(MAGIC, 0);
  into[VERSION_AT] = VERSION;
  into[KIND_AT] = KINDS.indexOf(datagram.kind);
  into.set(datagram.token.subarray(0, TOKEN_BYTES), TOKEN_AT);
  into.set(datagram.cookie.subarray(0, COOKIE_BYTES), COOKIE_AT);
  into.writeUInt32BE(datagram.sequence >>> 0, SEQUENCE_AT);
  if ('wantsPushes' in datagram) {
    into[FLAGS_AT] = datagram.wantsPushes ? WANTS_PUSHES : 0;
  } else {
    into[STATE_AT] = HEALTH_STATES.indexOf(datagram.state);
    writeReport(datagram.report, into);
  }
  return into;
}

function writeReport(report: LoadReport, into: Buffer): void {
  let present = 0;
  for (let i = 0; i < NUMBERS.length; i++) {
    const value = report[NUMBERS[i]!];
    if (!isLoadNumber(value)) continue;
    present |= 1 << i;
    into.writeFloatBE(Math.min(value, MOST_FLOAT), NUMBERS_AT + 4 * i);
  }
  into[PRESENT_AT] = present;
}

/** What came to a server, or undefined when no client of ours can have sent it. Token and cookie are views of `bytes`. */
export function decodeClientDatagram(bytes: Buffer): ClientDatagram | undefined {
  const kind = kindOf(bytes);
  if (kind !== 'check' && kind !== 'ack') return undefined;
  return {
    kind,
    token: bytes.subarray(TOKEN_AT, COOKIE_AT),
    cookie: bytes.subarray(COOKIE_AT, SEQUENCE_AT),
    sequence: bytes.readUInt32BE(SEQUENCE_AT),
    wantsPushes: (bytes[FLAGS_AT]! & WANTS_PUSHES) !== 0,
  };
}

/** What came to a client, or undefined when no server of ours can have sent it. Whose token it repeats is for the client to see. */
export function decodeServerDatagram(bytes: Buffer): ServerDatagram | undefined {
  const kind = kindOf(bytes);
  if (kind !== 'answer' && kind !== 'push') return undefined;
  const state = HEALTH_STATES[bytes[STATE_AT]!];
  const report = readReport(bytes);
  if (state === undefined || report === undefined) return undefined;
  return {
    kind,
    token: bytes.subarray(TOKEN_AT, COOKIE_AT),
    cookie: bytes.subarray(COOKIE_AT, SEQUENCE_AT),
    sequence: bytes.readUInt32BE(SEQUENCE_AT),
    state,
    report,
  };
}

/** The cheapest first: a flood of anything else costs a comparison each. */
function kindOf(bytes: Buffer): (typeof KINDS)[number] | undefined {
  if (bytes.length !== DATAGRAM_BYTES) return undefined;
  if (bytes.readUInt32BE(0) !== MAGIC || bytes[VERSION_AT] !== VERSION) return undefined;
  return KINDS[bytes[KIND_AT]!];
}

function readReport(bytes: Buffer): LoadReport | undefined {
  const present = bytes[PRESENT_AT]!;
  const report: { -readonly [name in keyof LoadReport]: LoadReport[name] } = {};
  for (let i = 0; i < NUMBERS.length; i++) {
    if ((present & (1 << i)) === 0) continue;
    const value = bytes.readFloatBE(NUMBERS_AT + 4 * i);
    if (!isLoadNumber(value)) return undefined;
    report[NUMBERS[i]!] = value;
  }
  return report;
}
