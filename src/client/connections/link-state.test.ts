import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GateState } from '../../core/index.js';
import { type GoAway, LinkState } from './link-state.js';

/** A backend that can be connected to. */
function reachable(): LinkState {
  const state = new LinkState();
  state.onConnected(0);
  return state;
}

/** One that listened, and does not. */
function refusing(told?: GateState): LinkState {
  const state = reachable();
  if (told !== undefined) state.onTold(told, 0);
  state.onConnectFailed();
  return state;
}

describe('what is seen', () => {
  it('is connecting, and untried, until there is a connection', () => {
    const state = new LinkState();
    expect(state).toMatchObject({ connection: 'connecting', isBeingTried: true, isReachable: undefined });
    state.onConnected(0);
    expect(state).toMatchObject({ connection: 'ready', isBeingTried: false, isReachable: true });
  });

  it('is refusing when a connection fails, and ready when one opens again', () => {
    const state = refusing();
    expect(state).toMatchObject({ connection: 'refusing', isBeingTried: false });
    state.onConnected(1);
    expect(state.connection).toBe('ready');
  });

  it('is connecting in doubt, and doubt changes nothing for one that is known to be gone', () => {
    const state = reachable();
    state.onDoubt();
    expect(state).toMatchObject({ connection: 'connecting', isReachable: undefined });
    const gone = refusing();
    gone.onDoubt();
    expect(gone.connection).toBe('refusing');
  });
});

describe('a connection that broke with a request on it', () => {
  it('is a reason to send to others, until there is a new one, or its word', () => {
    const state = reachable();
    expect(state.onBroken()).toBe(true);
    expect(state).toMatchObject({ connection: 'connecting', isBeingTried: true, isLastResort: true });
    expect(state.onBroken()).toBe(false);
    state.onConnected(1);
    expect(state).toMatchObject({ connection: 'ready', isLastResort: false });
    state.onBroken();
    state.onTold('ready', 2);
    expect(state.connection).toBe('ready');
  });

  it('says nothing of one that cannot be connected to, or goes', () => {
    const gone = refusing();
    expect(gone.onBroken()).toBe(false);
    const broken = reachable();
    broken.onBroken();
    broken.onConnectFailed();
    expect(broken).toMatchObject({ connection: 'refusing', isLastResort: false, isBeingTried: false });
    broken.onConnected(1);
    expect(broken.connection).toBe('ready');
    const lame = reachable();
    lame.onTold('lame-duck', 0);
    lame.onBroken();
    expect(lame).toMatchObject({ connection: 'lame-duck', isBeingTried: false, isLastResort: false });
  });
});

describe('what is told', () => {
  it.each([
    ['ready', 'ready'],
    ['starting', 'connecting'],
    ['lame-duck', 'lame-duck'],
    ['closed', 'lame-duck'],
  ] as const)('%s makes one that is there %s', (told, connection) => {
    const state = reachable();
    state.onTold(told, 1);
    expect(state).toMatchObject({ connection, told });
  });

  it('does not make up for a connection that fails', () => {
    for (const told of ['starting', 'lame-duck', 'closed'] as const) {
      const state = refusing(told);
      expect(state.connection).toBe('refusing');
      state.onTold(told, 1);
      expect(state.connection).toBe('refusing');
    }
  });

  it('is worth a new try when it is `ready`: refusing becomes connecting', () => {
    const state = refusing();
    state.onTold('ready', 1);
    expect(state).toMatchObject({ connection: 'connecting', isReachable: undefined });
  });

  it('is no proof of a connection', () => {
    const state = new LinkState();
    state.onTold('ready', 0);
    expect(state).toMatchObject({ connection: 'connecting', isBeingTried: true });
  });

  it('comes from one that can be asked again only when it was asked', () => {
    const state = reachable();
    state.onTold('ready', 0);
    expect(state.isTalkative).toBe(false);
    state.onHealth('ready', 0);
    expect(state.isTalkative).toBe(true);
  });
});

describe('a new process', () => {
  it('is no longer the lame duck that its predecessor was', () => {
    const state = refusing('lame-duck');
    state.onConnected(1);
    expect(state).toMatchObject({ connection: 'ready', told: undefined });
  });

  it('is waited for where it can say that it is ready: for two seconds, and for a minute when it says that it starts', () => {
    const state = reachable();
    state.onHealth('lame-duck', 0);
    state.onConnectFailed();
    state.onConnected(1_000);
    expect(state).toMatchObject({ connection: 'connecting', told: 'starting' });
    expect(state.forget(2_999)).toBe(false);
    const silent = refusing();
    silent.onHealth('lame-duck', 0);
    silent.onConnected(1_000);
    expect(silent.forget(3_000)).toBe(true);
    expect(silent.connection).toBe('ready');
    state.onHealth('starting', 2_999);
    expect(state.forget(62_998)).toBe(false);
    expect(state.connection).toBe('connecting');
    expect(state.forget(62_999)).toBe(true);
    expect(state.connection).toBe('ready');
  });

  it('is another connection to the same one while that is not known to be gone', () => {
    const state = reachable();
    state.onTold('lame-duck', 0);
    state.onDoubt();
    state.onConnected(1);
    expect(state.connection).toBe('lame-duck');
  });
});

describe("the resolver's word", () => {
  it.each([
    ['starting', 'connecting'],
    ['lame-duck', 'lame-duck'],
  ] as const)('%s holds until the resolver takes it back, whatever else is heard', (word, connection) => {
    const state = reachable();
    state.onResolved(word);
    expect(state.forget(3_600_000)).toBe(false);
    state.onHealth('ready', 3_600_000);
    expect(state.connection).toBe(connection);
    state.onResolved('ready');
    expect(state.connection).toBe('ready');
  });

  it('stays when it begins to listen, and is no reason to wait at the start', () => {
    const state = new LinkState();
    state.onResolved('starting');
    expect(state.isBeingTried).toBe(false);
    state.onConnectFailed();
    state.onConnected(1);
    expect(state.connection).toBe('connecting');
  });

  it('takes back no other', () => {
    const state = reachable();
    state.onTold('lame-duck', 0);
    state.onResolved('ready');
    expect(state.connection).toBe('lame-duck');
  });

  it('is worth a new try when it is `ready` and was not', () => {
    const state = refusing();
    state.onResolved('ready');
    expect(state.connection).toBe('refusing');
    state.onResolved('starting');
    state.onResolved('ready');
    expect(state.connection).toBe('connecting');
  });
});

describe('a GOAWAY', () => {
  function goneAway(goAway: GoAway = 'hint'): LinkState {
    const state = reachable();
    state.onGoAway(goAway, 1_000);
    return state;
  }

  it('makes a lame duck, at once', () => {
    for (const goAway of ['hint', 'word'] as const) {
      expect(goneAway(goAway)).toMatchObject({
        connection: 'lame-duck',
        hasSaidGoAway: true,
        isToBeGreeted: true,
        isBeingTried: false,
      });
    }
  });

  it('on an old connection is a hint: there may be nobody else', () => {
    expect(goneAway('hint').isLastResort).toBe(true);
    expect(goneAway('word').isLastResort).toBe(false);
    expect(reachable().isLastResort).toBe(false);
  });

  it('on a new connection is more than that, until one has been used', () => {
    const state = goneAway();
    state.onGoAway('word', 1_100);
    expect(state.isLastResort).toBe(false);
    state.onGoAway('hint', 1_200);
    expect(state.isLastResort).toBe(true);
  });

  it('is over when it takes a new connection without saying so again', () => {
    const state = goneAway('word');
    state.onGreeted(1_100);
    expect(state).toMatchObject({ connection: 'ready', hasSaidGoAway: false, isToBeGreeted: false });
  });

  it('is not over by a connection on which nothing was heard, nor by time', () => {
    const state = goneAway();
    state.onConnected(1_100);
    state.onDoubt();
    expect(state).toMatchObject({ connection: 'lame-duck', isBeingTried: false, isLastResort: true });
    state.onConnected(1_200);
    expect(state.forget(1e9)).toBe(false);
    expect(state.connection).toBe('lame-duck');
  });

  it('is over when another process listens', () => {
    const state = goneAway();
    state.onConnectFailed();
    expect(state).toMatchObject({ connection: 'refusing', isLastResort: false });
    state.onConnected(2_000);
    expect(state).toMatchObject({ connection: 'ready', hasSaidGoAway: false });
    const greeted = goneAway();
    greeted.onConnectFailed();
    greeted.onGreeted(2_000);
    expect(greeted.connection).toBe('ready');
  });

  it('is over when its health is `ready`', () => {
    const state = goneAway('word');
    state.onHealth('ready', 1_001);
    expect(state).toMatchObject({ connection: 'ready', hasSaidGoAway: false });
  });

  it.each(['lame-duck', 'closed'] as const)(
    'is meant when it says %s, which no new connection takes back',
    (word) => {
      for (const isFirst of [true, false]) {
        const state = reachable();
        if (isFirst) state.onGoAway('hint', 1_000);
        state.onTold(word, 1_000);
        if (!isFirst) state.onGoAway('hint', 1_000);
        expect(state).toMatchObject({ isLastResort: false, isToBeGreeted: false, told: word });
        state.onGreeted(1_100);
        expect(state.connection).toBe('lame-duck');
      }
    },
  );

  it('is for its health to explain where it can be asked: for a minute', () => {
    const state = reachable();
    state.onHealth('ready', 0);
    state.onGoAway('hint', 1_000);
    expect(state).toMatchObject({ connection: 'lame-duck', isLastResort: true, isToBeGreeted: false });
    expect(state.forget(60_999)).toBe(false);
    expect(state.forget(61_000)).toBe(true);
    expect(state).toMatchObject({ connection: 'connecting', isBeingTried: true, hasSaidGoAway: false });
  });

  it('makes no last resort of one that starts, or that the resolver advises against', () => {
    const starting = reachable();
    starting.onTold('starting', 0);
    starting.onGoAway('hint', 1);
    expect(starting).toMatchObject({ connection: 'lame-duck', isLastResort: false });
    for (const word of ['starting', 'lame-duck'] as const) {
      const state = goneAway();
      state.onResolved(word);
      expect(state).toMatchObject({ connection: 'lame-duck', isLastResort: false });
      state.onResolved('ready');
      expect(state.isLastResort).toBe(true);
    }
  });
});

describe('a lame duck that is not heard of', () => {
  it('is tried anew after a minute', () => {
    const state = reachable();
    state.onHealth('lame-duck', 1_000);
    expect(state.forget(60_999)).toBe(false);
    expect(state.forget(61_000)).toBe(true);
    expect(state).toMatchObject({ connection: 'connecting', isReachable: undefined, told: undefined });
  });

  it('is tried anew after three seconds where it cannot be asked', () => {
    const state = reachable();
    state.onTold('lame-duck', 1_000);
    expect(state.forget(3_999)).toBe(false);
    expect(state.forget(4_000)).toBe(true);
  });

  it('is one for as long again each time that it says so', () => {
    const state = reachable();
    state.onHealth('lame-duck', 0);
    state.onTold('lame-duck', 59_000);
    expect(state.forget(118_999)).toBe(false);
    expect(state.forget(119_000)).toBe(true);
  });

  it('is not forgotten while it refuses connections, and nothing is to forget of others', () => {
    expect(refusing('lame-duck').forget(1e9)).toBe(false);
    expect(reachable().forget(1e9)).toBe(false);
    expect(new LinkState().forget(1e9)).toBe(false);
  });
});

describe('one that has fallen silent', () => {
  /** It used to answer health checks, and the kernel of its machine accepts a new connection for it. */
  function silent(): LinkState {
    const state = reachable();
    state.onHealth('ready', 0);
    state.onSilent(1_000);
    return state;
  }

  it('is not ready because a connection opens, and is sent to when there is nobody else', () => {
    const state = silent();
    expect(state).toMatchObject({ connection: 'connecting', isBeingTried: true, isLastResort: false });
    state.onConnected(1_100);
    expect(state).toMatchObject({ connection: 'connecting', isBeingTried: false, isLastResort: true });
  });

  it.each<[string, (state: LinkState) => void]>([
    ['says how it is', (state) => state.onHealth('ready', 2_000)],
    ['answers a request', (state) => void state.onAnswered()],
    ['greets', (state) => state.onGreeted(2_000)],
  ])('is ready again when it %s', (_, happens) => {
    const state = silent();
    state.onConnected(1_100);
    happens(state);
    expect(state).toMatchObject({ connection: 'ready', isSilent: false, isLastResort: false });
    expect(state.onAnswered()).toBe(false);
  });

  it('is believed to be there after a minute, if connections open: something may swallow health checks', () => {
    const state = silent();
    state.onConnected(1_100);
    expect(state.forget(60_999)).toBe(false);
    expect(state.forget(61_000)).toBe(true);
    expect(state.connection).toBe('ready');
  });

  it('is gone when no connection opens, and another process when one does after that', () => {
    const state = silent();
    state.onConnectFailed();
    expect(state).toMatchObject({ connection: 'refusing', isSilent: false });
    state.onSilent(1_200);
    expect(state).toMatchObject({ connection: 'refusing', isSilent: false });
    state.onConnected(1_300);
    expect(state).toMatchObject({ connection: 'connecting', told: 'starting', isLastResort: false });
  });

  it('is no last resort when it was a lame duck, or the resolver advises against it', () => {
    const lame = reachable();
    lame.onHealth('lame-duck', 0);
    lame.onSilent(1_000);
    lame.onConnected(1_100);
    expect(lame).toMatchObject({ connection: 'lame-duck', isLastResort: false });
    const state = silent();
    state.onConnected(1_100);
    state.onResolved('lame-duck');
    expect(state.isLastResort).toBe(false);
  });

  it('is only doubted when it never said anything', () => {
    const state = reachable();
    state.onSilent(1_000);
    state.onConnected(1_100);
    expect(state.connection).toBe('ready');
  });
});

const EVENTS = [
  'connected',
  'failed',
  'doubt',
  'silent',
  'answered',
  'told',
  'health',
  'resolved',
  'look',
  'goaway',
  'greeted',
] as const;

type Event = readonly [name: (typeof EVENTS)[number], state: GateState];

const event: fc.Arbitrary<Event> = fc.tuple(
  fc.constantFrom(...EVENTS),
  fc.constantFrom('ready', 'starting', 'lame-duck', 'closed'),
);

function apply(state: LinkState, [name, told]: Event, now: number): void {
  if (name === 'connected') state.onConnected(now);
  if (name === 'failed') state.onConnectFailed();
  if (name === 'doubt') state.onDoubt();
  if (name === 'silent') state.onSilent(now);
  if (name === 'answered') state.onAnswered();
  if (name === 'told') state.onTold(told, now);
  if (name === 'health') state.onHealth(told, now);
  if (name === 'resolved') state.onResolved(told === 'closed' ? 'lame-duck' : told);
  if (name === 'look') state.forget(now);
  if (name === 'goaway') state.onGoAway(told === 'ready' ? 'hint' : 'word', now);
  if (name === 'greeted') state.onGreeted(now);
}

describe('whatever happens', () => {
  it('is never ready in a minute after it was told to be a lame duck, unless it was gone or said otherwise', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.nat(30_000))), (events) => {
        const state = new LinkState();
        state.onHealth('starting', 0);
        let now = 0;
        let lameUntilMs = 0;
        let isLeaving = false;
        for (const [each, afterMs] of events) {
          now += afterMs;
          const wasGone = state.connection === 'refusing';
          apply(state, each, now);
          const [name, told] = each;
          const isWord = name === 'told' || name === 'health';
          if (isWord) lameUntilMs = told === 'lame-duck' || told === 'closed' ? now + 60_000 : 0;
          if (name === 'resolved') isLeaving = told === 'lame-duck' || told === 'closed';
          if ((name === 'connected' || name === 'greeted') && wasGone) lameUntilMs = 0;
          if (isLeaving || now < lameUntilMs) expect(['lame-duck', 'refusing']).toContain(state.connection);
        }
      }),
    );
  });

  it('is ready only with a connection', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.nat(30_000))), (events) => {
        const state = new LinkState();
        let now = 0;
        for (const [each, afterMs] of events) {
          now += afterMs;
          apply(state, each, now);
          if (state.connection === 'ready') expect(state.isReachable).toBe(true);
          if (state.isBeingTried) expect(state.connection).toBe('connecting');
          if (state.isLastResort)
            expect(state.connection).toBe(state.hasSaidGoAway ? 'lame-duck' : 'connecting');
          if (state.isSilent) expect(state.connection).not.toBe('ready');
        }
      }),
    );
  });

  it('is no lame duck on a GOAWAY alone once it was greeted, was gone, or said how it is', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.nat(30_000))), (events) => {
        const state = new LinkState();
        let now = 0;
        for (const [each, afterMs] of events) {
          now += afterMs;
          const wasGone = state.connection === 'refusing';
          apply(state, each, now);
          const [name] = each;
          const isOver = name === 'greeted' || name === 'told' || name === 'health';
          if (isOver || (name === 'connected' && wasGone)) expect(state.hasSaidGoAway).toBe(false);
        }
      }),
    );
  });
});

describe('what its page makes of it', () => {
  it('is unhealthy by its own word, and no last resort, until it is well', () => {
    const state = reachable();
    state.onVerdict('unwell');
    expect(state).toMatchObject({ connection: 'unhealthy', isBeingTried: false, isLastResort: false });
    // Not even when it falls silent.
    state.onHealth('ready', 0);
    state.onSilent(1);
    state.onConnected(2);
    expect(state.isLastResort).toBe(false);
    state.onVerdict('well');
    state.onAnswered();
    expect(state.connection).toBe('ready');
  });

  it('is a last resort where the page may be at fault', () => {
    const state = reachable();
    state.onVerdict('doubtful');
    expect(state).toMatchObject({ connection: 'unhealthy', isBeingTried: false, isLastResort: true });
    state.onDoubt();
    expect(state).toMatchObject({ connection: 'unhealthy', isBeingTried: false, isLastResort: false });
  });

  it("counts for less than a closed port, its own word and the resolver's", () => {
    const gone = refusing();
    gone.onVerdict('doubtful');
    expect(gone.connection).toBe('refusing');
    const lame = reachable();
    lame.onVerdict('doubtful');
    lame.onTold('lame-duck', 0);
    expect(lame).toMatchObject({ connection: 'lame-duck', isLastResort: false });
    const listed = reachable();
    listed.onVerdict('doubtful');
    listed.onResolved('starting');
    expect(listed).toMatchObject({ connection: 'connecting', isLastResort: false });
  });
});
