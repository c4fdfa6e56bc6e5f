import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { GateState } from '../../core/index.js';
import {
  type ClientDatagram,
  decodeServerDatagram,
  encodeDatagram,
  type ServerDatagram,
} from '../../wire/index.js';
import { HealthResponder } from './health-responder.js';
import { UDP_HEALTH_DEFAULTS } from './udp-health-options.js';

const TOKEN = Buffer.alloc(16, 7);
const ZEROS = Buffer.alloc(8);

let state: GateState;
let measured: number;
let responder: HealthResponder;

beforeEach(() => {
  state = 'ready';
  measured = 0;
  const source = {
    state: () => state,
    loadReport: () => ({ inFlight: ++measured }),
    onStateChange: () => () => {},
  };
  responder = new HealthResponder(source, UDP_HEALTH_DEFAULTS, 0);
});

function ask(given: Partial<ClientDatagram> = {}, port = 5, now = 0): ServerDatagram | undefined {
  responder.beginTurn();
  const question = encodeDatagram({
    kind: 'check',
    token: TOKEN,
    cookie: ZEROS,
    sequence: 1,
    wantsPushes: true,
    ...given,
  });
  const answer = responder.receive(question, '10.0.0.1', port, now);
  return answer && decodeServerDatagram(answer);
}

/** Asks twice, as a client does that wants to be told. */
function register(token: Buffer = TOKEN, port = 5, now = 0): Uint8Array {
  const { cookie } = ask({ token }, port, now)!;
  return ask({ token, cookie }, port, now)!.cookie;
}

describe('a question', () => {
  it('is answered with token, number, state and load', () => {
    expect(ask({ sequence: 42 })).toMatchObject({
      kind: 'answer',
      sequence: 42,
      state: 'ready',
      report: { inFlight: 1 },
    });
    state = 'lame-duck';
    const answer = ask()!;
    expect(answer.state).toBe('lame-duck');
    expect(TOKEN.equals(answer.token)).toBe(true);
    expect(responder.counts).toMatchObject({ answered: 2, garbage: 0, badCookies: 0 });
  });

  it('is answered by as many bytes as it has', () => {
    for (let i = 0; i < 3; i++) ask();
    expect(responder.counts.bytesOut).toBe(responder.counts.bytesIn);
    expect(responder.counts.bytesIn).toBe(3 * 64);
  });

  it('measures the load once a turn', () => {
    ask();
    const question = encodeDatagram({
      kind: 'check',
      token: TOKEN,
      cookie: ZEROS,
      sequence: 1,
      wantsPushes: true,
    });
    responder.receive(question, '10.0.0.1', 6, 0);
    expect(measured).toBe(1);
    responder.beginTurn();
    responder.receive(question, '10.0.0.1', 6, 0);
    expect(measured).toBe(2);
  });

  it('makes nobody known before the address is proven', () => {
    ask();
    expect(responder.knownClients).toBe(0);
    ask({ cookie: Buffer.alloc(8, 1) });
    expect(responder.knownClients).toBe(0);
    expect(responder.counts.badCookies).toBe(1);
    const { cookie } = ask()!;
    // Sent to one port, repeated from another: forged.
    ask({ cookie }, 6);
    expect(responder.knownClients).toBe(0);
    expect(responder.counts.badCookies).toBe(2);
    ask({ cookie });
    expect(responder.knownClients).toBe(1);
  });

  it('makes nobody known who does not want to be, and forgets who no longer does', () => {
    const { cookie } = ask()!;
    ask({ cookie, wantsPushes: false });
    expect(responder.knownClients).toBe(0);
    ask({ cookie });
    expect(responder.knownClients).toBe(1);
    ask({ cookie, wantsPushes: false });
    expect(responder.knownClients).toBe(0);
  });

  it('brings a new cookie when the old one ages, and takes the old one meanwhile', () => {
    const { cookieLifeMs } = UDP_HEALTH_DEFAULTS;
    const old = register(TOKEN, 5, cookieLifeMs - 1);
    expect(ask({ cookie: old }, 5, cookieLifeMs - 1)!.cookie).toEqual(old);
    const { cookie } = ask({ cookie: old }, 5, cookieLifeMs)!;
    expect(cookie).not.toEqual(old);
    // Not yet known under it at a client whose answer was lost.
    expect(ask({ cookie: old }, 5, cookieLifeMs)!.cookie).toEqual(cookie);
    expect(responder.counts.badCookies).toBe(0);
  });
});

describe('a flood', () => {
  it('of strangers is answered so many times a turn, and clients that are known always', () => {
    const cookie = register();
    responder.beginTurn();
    const stranger = encodeDatagram({
      kind: 'check',
      token: TOKEN,
      cookie: ZEROS,
      sequence: 1,
      wantsPushes: true,
    });
    const known = encodeDatagram({ kind: 'check', token: TOKEN, cookie, sequence: 1, wantsPushes: true });
    const answers = Array.from({ length: 20 }, (_, i) => responder.receive(stranger, '10.9.9.9', i + 1, 0));
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(
      UDP_HEALTH_DEFAULTS.strangersPerTurn,
    );
    expect(responder.counts.overBudget).toBe(16);
    expect(responder.receive(known, '10.0.0.1', 5, 0)).toBeDefined();
  });

  it('of garbage is answered by nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(responder.receive(Buffer.from(bytes), '10.0.0.1', 5, 0)).toBeUndefined();
      }),
    );
    expect(responder.counts.garbage).toBe(100);
    expect(responder.counts.bytesOut).toBe(0);
    expect(measured).toBe(0);
  });

  it('of answers, sent back to us as questions, stops there', () => {
    const answer = responder.receive(
      encodeDatagram({ kind: 'check', token: TOKEN, cookie: ZEROS, sequence: 1, wantsPushes: true }),
      ...(['10.0.0.1', 5, 0] as const),
    )!;
    expect(responder.receive(answer, '10.0.0.1', 5, 0)).toBeUndefined();
  });

  it('from port 0, where nothing can be sent, is garbage', () => {
    expect(ask({}, 0)).toBeUndefined();
    expect(responder.counts.garbage).toBe(1);
  });
});

describe('a push', () => {
  function push(now = 0): ServerDatagram[] {
    responder.beginPush(now);
    return responder.untold(now).map((client) => decodeServerDatagram(responder.pushTo(client))!);
  }

  const ack = (given: Partial<ClientDatagram>, port = 5) =>
    ask({ kind: 'ack', wantsPushes: true, ...given }, port);

  it('goes to who is known, with its own token and cookie', () => {
    const other = Buffer.alloc(16, 9);
    const cookie = register();
    register(other, 6);
    ask({}, 7);
    state = 'lame-duck';
    const pushes = push();
    expect(pushes).toHaveLength(2);
    expect(responder.counts.pushed).toBe(2);
    expect(pushes[0]).toMatchObject({ kind: 'push', state: 'lame-duck', sequence: 1 });
    expect(TOKEN.equals(pushes[0]!.token)).toBe(true);
    expect(Buffer.from(cookie).equals(pushes[0]!.cookie)).toBe(true);
    expect(other.equals(pushes[1]!.token)).toBe(true);
  });

  it('goes out with the token that a client used last', () => {
    register();
    register(Buffer.alloc(16, 8));
    expect(push().map(({ token }) => token[0])).toEqual([8]);
  });

  it('is over when it is acknowledged, also twice', () => {
    const cookie = register();
    const [told] = push();
    expect(ack({ cookie, sequence: told!.sequence })).toBeUndefined();
    ack({ cookie, sequence: told!.sequence });
    expect(responder.untold(0)).toEqual([]);
    expect(responder.counts).toMatchObject({ acknowledged: 1, badAcks: 0 });
  });

  it.each([
    ['token', { token: Buffer.alloc(16, 1) }],
    ['cookie', { cookie: Buffer.alloc(8, 1) }],
    ['number', { sequence: 7 }],
  ])('is not acknowledged by another %s', (_, wrong) => {
    const cookie = register();
    const [told] = push();
    ack({ cookie, sequence: told!.sequence, ...wrong });
    expect(responder.untold(0)).toHaveLength(1);
    expect(responder.counts).toMatchObject({ acknowledged: 0, badAcks: 1 });
  });

  it('is not acknowledged from elsewhere', () => {
    const cookie = register();
    const [told] = push();
    ack({ cookie, sequence: told!.sequence }, 6);
    expect(responder.untold(0)).toHaveLength(1);
    expect(responder.counts.badAcks).toBe(1);
  });

  it('begins anew with the next change', () => {
    const cookie = register();
    const [first] = push();
    ack({ cookie, sequence: first!.sequence });
    const [second] = push();
    expect(second!.sequence).toBe(first!.sequence + 1);
    ack({ cookie, sequence: first!.sequence });
    expect(responder.untold(0)).toHaveLength(1);
  });

  it('does not go to who has not been heard of for an hour', () => {
    register();
    expect(push(3_600_000)).toEqual([]);
    register();
    responder.beginPush(0);
    expect(responder.untold(3_600_000)).toEqual([]);
  });
});
