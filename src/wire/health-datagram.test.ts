import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { GateState } from '../core/index.js';
import {
  type ClientDatagram,
  COOKIE_BYTES,
  DATAGRAM_BYTES,
  decodeClientDatagram,
  decodeServerDatagram,
  encodeDatagram,
  type ServerDatagram,
  TOKEN_BYTES,
} from './health-datagram.js';
import { isLoadNumber } from './load-report.js';

const token = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const cookie = Buffer.from('0123456789abcdef', 'hex');

const CHECK: ClientDatagram = { kind: 'check', token, cookie, sequence: 0xdeadbeef, wantsPushes: true };
const ANSWER: ServerDatagram = {
  kind: 'answer',
  token,
  cookie,
  sequence: 7,
  state: 'ready',
  report: {
    cpuUtilization: 0.5,
    applicationUtilization: 0.25,
    requestsPerSecond: 1000,
    errorsPerSecond: 1,
    inFlight: 3,
    latencyMs: 12.5,
  },
};

it('is on the wire as the specification has it', () => {
  const head = '504c494d01';
  const ids = '00112233445566778899aabbccddeeff0123456789abcdef';
  expect(encodeDatagram(CHECK).toString('hex')).toBe(`${head}000100${ids}deadbeef${'00'.repeat(28)}`);
  expect(encodeDatagram({ ...CHECK, kind: 'ack', wantsPushes: false }).toString('hex')).toBe(
    `${head}030000${ids}deadbeef${'00'.repeat(28)}`,
  );
  const numbers = '3f0000003e800000447a00003f8000004040000041480000';
  expect(encodeDatagram(ANSWER).toString('hex')).toBe(`${head}010001${ids}000000073f000000${numbers}`);
  expect(encodeDatagram({ ...ANSWER, kind: 'push', state: 'lame-duck', report: {} }).toString('hex')).toBe(
    `${head}020002${ids}00000007${'00'.repeat(28)}`,
  );
});

it('fills the bytes that it is given, all of them', () => {
  const bytes = Buffer.alloc(DATAGRAM_BYTES, 0xff);
  expect(encodeDatagram(CHECK, bytes)).toBe(bytes);
  expect(bytes.equals(encodeDatagram(CHECK))).toBe(true);
});

it('leaves out numbers that are none', () => {
  const report = {
    cpuUtilization: Number.NaN,
    latencyMs: -1,
    inFlight: Number.POSITIVE_INFINITY,
    errorsPerSecond: 2,
  };
  expect(decodeServerDatagram(encodeDatagram({ ...ANSWER, report }))?.report).toEqual({ errorsPerSecond: 2 });
  // What four bytes cannot hold would arrive as Infinity, and be disbelieved with all the rest.
  expect(
    decodeServerDatagram(encodeDatagram({ ...ANSWER, report: { inFlight: 1e300 } }))?.report.inFlight,
  ).toBeGreaterThan(1e38);
});

it('goes one way only', () => {
  expect(decodeServerDatagram(encodeDatagram(CHECK))).toBeUndefined();
  expect(decodeServerDatagram(encodeDatagram({ ...CHECK, kind: 'ack' }))).toBeUndefined();
  expect(decodeClientDatagram(encodeDatagram(ANSWER))).toBeUndefined();
  expect(decodeClientDatagram(encodeDatagram({ ...ANSWER, kind: 'push' }))).toBeUndefined();
});

function changed(datagram: ClientDatagram | ServerDatagram, at: number, byte: number): Buffer {
  const bytes = encodeDatagram(datagram);
  bytes[at] = byte;
  return bytes;
}

it('takes nothing else', () => {
  for (const length of [0, 1, 63, 65, 1_500])
    expect(decodeClientDatagram(Buffer.alloc(length, 0x50))).toBeUndefined();
  expect(decodeClientDatagram(Buffer.concat([encodeDatagram(CHECK), Buffer.alloc(1)]))).toBeUndefined();
  expect(decodeClientDatagram(encodeDatagram(CHECK).subarray(0, 63))).toBeUndefined();
  for (const at of [0, 1, 2, 3]) expect(decodeClientDatagram(changed(CHECK, at, 0))).toBeUndefined();
  expect(decodeClientDatagram(changed(CHECK, 4, 2))).toBeUndefined();
  expect(decodeClientDatagram(changed(CHECK, 5, 4))).toBeUndefined();
  expect(decodeServerDatagram(changed(ANSWER, 7, 4))).toBeUndefined();
  // A sign, and all bits of the exponent, on the first number.
  expect(decodeServerDatagram(changed(ANSWER, 40, 0xbf))).toBeUndefined();
  const endless = changed(ANSWER, 40, 0x7f);
  endless[41] = 0x80;
  expect(decodeServerDatagram(endless)).toBeUndefined();
});

const ids = {
  token: fc.uint8Array({ minLength: TOKEN_BYTES, maxLength: TOKEN_BYTES }),
  cookie: fc.uint8Array({ minLength: COOKIE_BYTES, maxLength: COOKIE_BYTES }),
  sequence: fc.nat(),
};
const load = fc.option(fc.float({ min: 0, noNaN: true, noDefaultInfinity: true }), { nil: undefined });

it('comes back as it went', () => {
  fc.assert(
    fc.property(
      fc.record({ ...ids, wantsPushes: fc.boolean() }),
      fc.constantFrom('check', 'ack'),
      (rest, kind) => {
        const decoded = decodeClientDatagram(encodeDatagram({ kind, ...rest }))!;
        expect({ ...decoded, token: [...decoded.token], cookie: [...decoded.cookie] }).toEqual({
          kind,
          ...rest,
          token: [...rest.token],
          cookie: [...rest.cookie],
        });
      },
    ),
  );
  const state = fc.constantFrom<GateState[]>('starting', 'ready', 'lame-duck', 'closed');
  const numbers = fc.array(load, { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.record(ids),
      fc.constantFrom('answer', 'push'),
      state,
      numbers,
      (rest, kind, state, values) => {
        const keys = Object.keys(ANSWER.report);
        const report = Object.fromEntries(
          keys.flatMap((key, i) => (values[i] === undefined ? [] : [[key, values[i]]])),
        );
        const decoded = decodeServerDatagram(encodeDatagram({ kind, ...rest, state, report }))!;
        expect(decoded).toMatchObject({ kind, state, sequence: rest.sequence });
        expect([...decoded.token]).toEqual([...rest.token]);
        // Also -0, which is a number >= 0.
        expect(Object.entries(decoded.report).map(([key, value]) => [key, value + 0])).toEqual(
          Object.entries(report).map(([key, value]) => [key, (value as number) + 0]),
        );
      },
    ),
  );
});

it('never throws, and believes finite numbers only', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 80 }).map((drawn) => Buffer.from(drawn)),
    // A head that is right, and then anything.
    fc
      .uint8Array({ minLength: 59, maxLength: 59 })
      .map((drawn) => Buffer.concat([encodeDatagram(ANSWER).subarray(0, 5), drawn])),
  );
  fc.assert(
    fc.property(bytes, fc.nat({ max: 3 }), (drawn, kind) => {
      if (drawn.length > 5) drawn[5] = kind;
      decodeClientDatagram(drawn);
      for (const value of Object.values(decodeServerDatagram(drawn)?.report ?? {}))
        expect(isLoadNumber(value)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
