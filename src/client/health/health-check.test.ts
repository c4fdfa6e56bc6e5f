import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CheckedBackend } from './checked-backend.contract.js';
import type { HealthOptions } from './health-options.js';

/** One that answers by UDP, and has done so for a while. */
function known(options: Partial<HealthOptions> = {}): CheckedBackend {
  const backend = new CheckedBackend(options);
  backend.udp = true;
  backend.pass(10_000);
  backend.log.length = 0;
  backend.heard.length = 0;
  return backend;
}

/** One that answers by a stream alone. */
function watched(options: Partial<HealthOptions> = {}): CheckedBackend {
  const backend = new CheckedBackend(options);
  backend.http = 'watch';
  backend.pass(5_000);
  backend.log.length = 0;
  backend.heard.length = 0;
  return backend;
}

describe('by UDP', () => {
  it('asks at once, repeats the cookie at once, then each second', () => {
    const backend = new CheckedBackend();
    backend.udp = true;
    backend.pass(3_500);
    expect(backend.times('check')).toEqual([0, 0, 1_000, 2_000, 3_000]);
    expect([...backend.check.cookie]).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(backend.heard).toEqual(Array(5).fill('udp ready'));
    expect(backend.check.record.snapshot(backend.check.way)).toEqual({
      ...{ via: 'udp', state: 'ready', lastHeardMs: 3_000, sent: 5, answered: 5, dropped: 0 },
    });
  });

  it('repeats a cookie out of turn once a second at most', () => {
    const backend = known();
    backend.onTell = () => backend.cookie++;
    backend.pass(10_000);
    expect(backend.times('check').length).toBeLessThanOrEqual(21);
  });

  it('asks ever less often when nobody calls, ever less often when it is down', () => {
    const backend = known();
    backend.check.setPace('inactive', backend.now);
    backend.pass(60_000);
    expect(backend.times('check')).toEqual([15_000, 25_000, 45_000, 65_000]);
    backend.check.setPace('down', backend.now);
    backend.pass(1_500);
    expect(backend.times('check')).toEqual([70_250, 70_625, 71_188]);
    backend.pass(60_000).times('check');
    const slow = backend.pass(10_001).times('check');
    expect(slow).toHaveLength(2);
    expect(slow[1]! - slow[0]!).toBe(5_000);
    backend.check.setPace('active', backend.now);
    expect(backend.check.dueMs).toBe(backend.now);
  });

  it('asks first, whatever the pace', () => {
    const backend = new CheckedBackend();
    backend.check.setPace('inactive', 0);
    expect(backend.check.dueMs).toBe(0);
  });

  it('asks soon when told to, but not more often than every 50 ms', () => {
    const backend = known();
    backend.check.setPace('inactive', backend.now);
    for (let i = 0; i < 100; i++) {
      backend.check.checkSoon(backend.now);
      backend.pass(10);
    }
    const times = backend.times('check');
    expect(times.length).toBe(20);
    expect(times[0]).toBe(10_000);
  });

  it('tells of a push at once, and of each once', () => {
    const backend = known();
    const push = backend.datagram('push', 1, 'lame-duck');
    backend.check.onPush(push, backend.now);
    backend.check.onPush(push, backend.now + 50);
    expect(backend.heard).toEqual(['push lame-duck']);
    backend.check.onPush(backend.datagram('push', 2, 'ready'), backend.now);
    expect(backend.heard).toEqual(['push lame-duck', 'push ready']);
  });

  it('believes a push rather than an answer to what was asked before it', () => {
    const backend = known();
    backend.udp = false;
    backend.now = backend.check.dueMs;
    backend.check.run(backend.now);
    const sequence = backend.check.record.sent;
    backend.check.onPush(backend.datagram('push', 1, 'lame-duck'), backend.now + 1);
    expect(backend.check.onAnswer(backend.datagram('answer', sequence, 'ready'), backend.now + 2)).toBe(true);
    expect(backend.heard).toEqual(['push lame-duck']);
    // And asks again, to be sure.
    expect(backend.check.dueMs).toBe(backend.now + 50);
  });

  it('takes an answer that is late, once, and none to what was not asked', () => {
    const backend = known({ mode: 'udp' });
    backend.udp = false;
    backend.pass(300);
    const sequence = backend.check.record.sent;
    backend.pass(300);
    expect(backend.check.onAnswer(backend.datagram('answer', sequence), backend.now)).toBe(true);
    expect(backend.check.onAnswer(backend.datagram('answer', sequence), backend.now)).toBe(false);
    expect(backend.check.onAnswer(backend.datagram('answer', sequence + 1), backend.now)).toBe(false);
    expect(backend.heard).toEqual(['udp ready']);
  });

  it('learns from a probe too', () => {
    const backend = known({ mode: 'udp' });
    backend.udp = false;
    backend.pass(1_500);
    backend.check.onProbeAnswer(backend.datagram('answer', 99, 'lame-duck'), backend.now);
    expect(backend.heard).toEqual(['udp lame-duck']);
    backend.pass(1_500);
    expect(backend.silences).toBe(0);
  });
});

describe('silence', () => {
  it('is told of after three checks and a page, once, until it is heard again', () => {
    const backend = known();
    backend.udp = false;
    backend.pass(2_150);
    expect(backend.silences).toBe(0);
    expect(backend.times('page')).toEqual([]);
    backend.pass(100);
    expect(backend.silences).toBe(1);
    expect(backend.resolved).toBe(1);
    expect(backend.times('page')).toEqual([12_200]);
    backend.pass(3_600_000);
    expect(backend.silences).toBe(1);
    backend.udp = true;
    backend.pass(6_000);
    expect(backend.heard[0]).toBe('udp ready');
    backend.udp = false;
    backend.pass(5_000);
    expect(backend.silences).toBe(2);
  });

  it('is not told of one that was never heard', () => {
    for (const mode of ['auto', 'udp', 'http'] as const) {
      const backend = new CheckedBackend({ mode }).pass(60_000);
      expect(backend.silences).toBe(0);
      expect(backend.check.way).toBe('unknown');
      // Its name may stand for another address by now.
      expect(backend.resolved > 0).toBe(mode !== 'http');
    }
  });

  it('is noticed as soon when nobody calls', () => {
    const backend = known();
    backend.check.setPace('inactive', backend.now);
    backend.pass(60_000);
    backend.udp = false;
    backend.check.checkSoon(backend.now);
    backend.pass(3_000);
    expect(backend.silences).toBe(1);
  });

  it('is not told of when a page answers: then it is HTTP', () => {
    const backend = known();
    backend.udp = false;
    backend.http = 'watch';
    backend.pass(10_000);
    expect(backend.silences).toBe(0);
    expect(backend.check.way).toBe('http');
    expect(backend.heard.slice(0, 2)).toEqual(['page ready', 'watch ready']);
    expect(backend.times('page')).toHaveLength(1);
  });

  it('is not told of when UDP answers while the page is waited for', () => {
    const backend = known();
    backend.udp = false;
    backend.http = 'still';
    backend.pass(2_250);
    expect(backend.isAsked).toBe(true);
    backend.check.onAnswer(backend.datagram('answer', backend.check.record.sent - 1), backend.now);
    expect(backend.isAsked).toBe(false);
    backend.udp = true;
    backend.pass(5_000);
    expect(backend.silences).toBe(0);
    expect(backend.check.way).toBe('udp');
  });

  it('is told of when the page does not come in time', () => {
    const backend = known();
    backend.udp = false;
    backend.http = 'still';
    backend.pass(3_150);
    expect(backend.silences).toBe(0);
    backend.pass(100);
    expect(backend.silences).toBe(1);
    expect(backend.isAsked).toBe(false);
  });

  it('waits for a page that there is no room for', () => {
    const backend = known();
    backend.udp = false;
    backend.canAsk = false;
    backend.pass(2_300);
    expect(backend.silences).toBe(0);
    backend.canAsk = true;
    backend.pass(1_000);
    expect(backend.silences).toBe(1);
  });

  it('by UDP alone needs no page', () => {
    const backend = known({ mode: 'udp' });
    backend.udp = false;
    backend.pass(2_250);
    expect(backend.silences).toBe(1);
    backend.pass(60_000);
    expect(backend.log.filter((entry) => !entry.endsWith('check'))).toEqual([]);
  });

  it('is told of a stream that breaks and cannot be had again', () => {
    const backend = watched();
    backend.http = 'broken';
    backend.breakWatch();
    backend.pass(5_000);
    expect(backend.silences).toBe(1);
    // 250, then half as long again each time, ±0 here; then UDP and HTTP both.
    expect(backend.log.slice(0, 3)).toEqual(['5250 watch', '5625 watch', '6188 watch']);
    backend.http = 'watch';
    backend.pass(6_000);
    expect(backend.heard.at(-1)).toBe('watch ready');
    expect(backend.check.way).toBe('http');
  });
});

it('is not silence when a stream comes back each time', () => {
  const backend = watched();
  for (let i = 0; i < 5; i++) {
    backend.http = 'broken';
    backend.breakWatch();
    // Two attempts that fail.
    backend.pass(700);
    backend.http = 'watch';
    backend.pass(10_000);
  }
  expect(backend.times('watch').length).toBeGreaterThanOrEqual(15);
  expect(backend.silences).toBe(0);
});

describe('by HTTP', () => {
  it('is tried when three checks by UDP were never answered', () => {
    const backend = new CheckedBackend();
    backend.http = 'watch';
    backend.pass(3_500);
    expect(backend.log.slice(0, 5)).toEqual([
      '0 check',
      '450 check',
      '900 check',
      '1100 check',
      '1100 watch',
    ]);
    expect(backend.check.way).toBe('http');
    expect(backend.heard).toEqual(Array(3).fill('watch ready'));
    expect(backend.times('check')).toHaveLength(4);
    expect(backend.pass(20_000).log).toEqual([]);
  });

  it('is done at once when there is nothing else', () => {
    const backend = new CheckedBackend({ mode: 'http' });
    backend.http = 'watch';
    backend.pass(120_000);
    expect(backend.log).toEqual(['0 watch']);
  });

  it('tries UDP again every 30 s, and prefers it', () => {
    const backend = watched();
    backend.resolved = 0;
    backend.pass(59_000);
    expect(backend.times('check')).toEqual([31_100, 61_100]);
    // At another address, perhaps.
    expect(backend.resolved).toBe(2);
    backend.udp = true;
    backend.pass(30_000);
    expect(backend.check.way).toBe('udp');
    expect(backend.isWatched).toBe(false);
    expect(backend.heard.at(-1)).toBe('udp ready');
    expect(backend.silences).toBe(0);
  });

  it('takes a stream without lines for broken', () => {
    const backend = watched();
    backend.http = 'still';
    backend.pass(2_450);
    expect(backend.isWatched).toBe(true);
    backend.http = 'broken';
    backend.pass(100);
    expect(backend.log[0]).toBe('7500 unwatch');
    expect(backend.silences).toBe(0);
  });

  it('asks for pages where a stream is refused, and for a stream again after 30 s', () => {
    const backend = new CheckedBackend({ mode: 'http' });
    backend.http = 'page';
    backend.pass(29_500);
    expect(backend.log.filter((entry) => entry.endsWith('watch'))).toEqual(['0 watch']);
    expect(backend.heard).toEqual(Array(30).fill('page ready'));
    backend.http = 'watch';
    backend.pass(1_600);
    expect(backend.isWatched).toBe(true);
    backend.times('page');
    backend.pass(10_000);
    expect(backend.times('page')).toEqual([]);
  });

  it('asks for pages at another pace from when it is set', () => {
    const backend = new CheckedBackend();
    backend.http = 'page';
    backend.pass(3_000).times('page');
    backend.check.setPace('inactive', backend.now);
    expect(backend.check.dueMs).toBe(backend.now + 5_000);
  });

  it('asks for pages where there are too many streams', () => {
    const backend = new CheckedBackend({ mode: 'http' });
    backend.http = 'watch';
    backend.canWatch = false;
    backend.pass(5_500);
    expect(backend.times('page')).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000]);
  });

  it('holds no stream to one that nobody calls', () => {
    const backend = watched();
    backend.check.setPace('inactive', backend.now);
    expect(backend.isWatched).toBe(false);
    backend.pass(16_000);
    expect(backend.times('page')).toEqual([10_000, 20_000]);
    backend.check.setPace('active', backend.now);
    backend.pass(2_000);
    expect(backend.isWatched).toBe(true);
  });

  it('asks for a page beside the stream when told to, and minds no failure of it', () => {
    const backend = watched();
    backend.check.checkSoon(backend.now);
    backend.pass(10);
    expect(backend.times('page')).toEqual([5_000]);
    for (let i = 0; i < 5; i++) {
      backend.check.checkSoon(backend.now);
      backend.check.run(backend.now);
      backend.isAsked = false;
      backend.check.onPage(i % 2 === 0 ? 'failed' : 'none', backend.now);
      backend.now += 100;
    }
    backend.pass(5_000);
    expect(backend.check.way).toBe('http');
    expect(backend.silences).toBe(0);
  });

  it('leaves one alone that has no health, and looks again after a minute', () => {
    const backend = new CheckedBackend();
    backend.http = 'none';
    backend.pass(30_000);
    expect(backend.check.way).toBe('none');
    backend.log.length = 0;
    backend.check.checkSoon(backend.now);
    backend.check.setPace('down', backend.now);
    backend.pass(30_000);
    expect(backend.log).toEqual([]);
    backend.udp = true;
    backend.pass(2_000);
    expect(backend.check.way).toBe('udp');
    expect(backend.heard[0]).toBe('udp ready');
  });
});

it('does nothing when it is off, or stopped', () => {
  const off = new CheckedBackend({ mode: 'off' });
  off.udp = true;
  off.check.checkSoon(0);
  off.check.setPace('down', 0);
  expect(off.pass(100_000).log).toEqual([]);
  expect(off.check.way).toBe('none');
  for (const backend of [known(), watched()]) {
    backend.check.stop();
    backend.log.length = 0;
    expect(backend.pass(100_000).log).toEqual([]);
    expect(backend.isWatched || backend.isAsked).toBe(false);
  }
});

it('asks anew at another address', () => {
  const backend = known();
  backend.check.onMoved(backend.now);
  expect([...backend.check.cookie]).toEqual(Array(8).fill(0));
  expect(backend.check.dueMs).toBe(backend.now);
});

it('may be told what to do while it tells', () => {
  const backend = new CheckedBackend();
  backend.http = 'watch';
  backend.onTell = () => backend.check.stop();
  backend.pass(60_000);
  expect(backend.heard).toHaveLength(1);
  expect(backend.isWatched).toBe(false);
});

it('finds whatever way there is, whatever happened before, and never asks too often', () => {
  const step = fc.record({
    udp: fc.boolean(),
    http: fc.constantFrom('broken', 'none', 'page', 'watch', 'still'),
    pace: fc.constantFrom('active', 'inactive', 'down'),
    canWatch: fc.boolean(),
    ms: fc.integer({ min: 0, max: 40_000 }),
    soon: fc.boolean(),
  } as const);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.boolean(), (steps, endsWithUdp) => {
      const backend = new CheckedBackend();
      for (const { udp, http, pace, canWatch, ms, soon } of steps) {
        if (backend.isWatched && http !== 'watch') backend.breakWatch();
        Object.assign(backend, { udp, http, canWatch });
        backend.check.setPace(pace, backend.now);
        if (soon) backend.check.checkSoon(backend.now);
        backend.pass(ms);
      }
      if (backend.isWatched) backend.breakWatch();
      Object.assign(backend, { udp: endsWithUdp, http: endsWithUdp ? 'broken' : 'page' });
      backend.check.setPace('active', backend.now);
      backend.pass(120_000);
      backend.heard.length = 0;
      backend.log.length = 0;
      backend.pass(10_000);
      expect(backend.check.way).toBe(endsWithUdp ? 'udp' : 'http');
      expect(backend.heard.length).toBeGreaterThanOrEqual(9);
      expect(backend.log.length).toBeLessThanOrEqual(15);
    }),
  );
});

describe('by the status of a page', () => {
  /** One whose page says that it is well, and has done so for a while. */
  function paged(options: Partial<HealthOptions> = {}): CheckedBackend {
    const backend = new CheckedBackend({ path: '/healthz', ...options });
    backend.http = 200;
    backend.pass(5_500);
    return backend;
  }

  it('asks for nothing but the page, each second, whoever calls', () => {
    const backend = paged();
    expect(backend.times('page')).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000]);
    expect(backend.heard).toEqual(['well']);
    expect(backend.check.record.snapshot(backend.check.way)).toEqual({
      ...{ via: 'http', status: 200, lastHeardMs: 5_000, sent: 6, answered: 6, dropped: 0 },
    });
    backend.check.setPace('inactive', backend.now);
    backend.pass(5_100);
    expect(backend.log.filter((entry) => !entry.endsWith(' page'))).toEqual([]);
    expect(backend.times('page')).toHaveLength(5);
  });

  it('a hiccup is asked about at once, and changes nothing', () => {
    const backend = paged();
    backend.times('page');
    backend.http = 503;
    backend.pass(600);
    backend.http = 200;
    backend.pass(1_400);
    expect(backend.times('page')).toEqual([6_000, 6_250, 7_250]);
    expect(backend.heard).toEqual(['well']);
    expect(backend.silences).toBe(0);
  });

  it('three answers that are not 2xx are a verdict, and two that are', () => {
    const backend = paged();
    backend.http = 503;
    backend.pass(1_100);
    expect(backend.heard).toEqual(['well', 'unwell']);
    backend.check.setPace('down', backend.now);
    backend.pass(30_000);
    backend.http = 200;
    // However long it was ill, it is asked as often.
    backend.pass(1_300);
    expect(backend.heard).toEqual(['well', 'unwell', 'well']);
    expect(backend.silences).toBe(0);
  });

  for (const http of ['broken', 'still'] as const) {
    it(`${http}: nobody answers, which a new connection is to show too`, () => {
      const backend = paged({ httpTimeoutMs: 100 });
      backend.http = http;
      backend.pass(2_000);
      expect(backend.heard).toEqual(['well', 'doubtful']);
      expect(backend.silences).toBe(1);
      expect(backend.check.record.snapshot(backend.check.way).status).toBeUndefined();
      backend.http = 200;
      backend.pass(3_000);
      expect(backend.heard).toEqual(['well', 'doubtful', 'well']);
    });
  }

  it('a line of ours in the page tells more', () => {
    const backend = paged();
    backend.http = 'page';
    backend.state = 'lame-duck';
    backend.pass(1_000);
    expect(backend.heard).toEqual(['well', 'page lame-duck']);
  });

  it('that is not well at first has not begun', () => {
    const backend = new CheckedBackend({ path: '/healthz' });
    backend.http = 503;
    backend.pass(100);
    expect(backend.heard).toEqual(['unwell']);
  });
});
