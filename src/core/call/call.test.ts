import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { fixedLimit, type LimitSample } from '../admission/concurrency-limit-algorithm.js';
import { ConcurrencyLimiter } from '../admission/concurrency-limiter.js';
import { Roster } from '../health/roster.js';
import { LESSONS, type Outcome } from '../outcome.js';
import { createPicker } from '../picking/create-picker.js';
import { RetryBudget } from '../retrying/index.js';
import { SeededRandom } from '../seeded-random.js';
import { AdaptiveThrottle } from '../throttling/index.js';
import { Call, type CallRequest } from './call.js';
import { Caller, type CallerOptions } from './caller.js';

interface Given extends Partial<CallerOptions> {
  readonly backends?: string[];
  readonly activeLimit?: number;
  readonly ratio?: number;
}

/** A caller with real parts, and backends that are ready. */
function make({ backends = ['a', 'b'], activeLimit = 100, ratio = 0.1, ...options }: Given = {}) {
  const random = new SeededRandom(1);
  const draw = () => random.next();
  const roster = new Roster({ activeLimit, outliers: false });
  roster.update(backends);
  for (const key of backends) roster.mark(key, 'ready', 0);
  const picker = createPicker(roster, draw, 'round-robin');
  const throttle = new AdaptiveThrottle(draw);
  const budget = new RetryBudget({ ratio });
  const caller = new Caller({ service: 's', roster, picker, throttle, budget }, options);
  const active = () => backends.map((key) => roster.get(key)!.active);
  const stats = (request: CallRequest = REQUEST) =>
    throttle.statsOf('s', request.customer, request.criticality);
  return { caller, roster, throttle, budget, active, stats };
}

const REQUEST: CallRequest = {
  customer: 'c',
  criticality: 'CRITICAL',
  deadlineMs: Number.POSITIVE_INFINITY,
  isIdempotent: false,
};

describe('a call', () => {
  it('is sent, answered, and handed on', () => {
    const { caller, active, throttle, stats } = make();
    const call = caller.start(REQUEST, 0);
    expect(call).toMatchObject({ step: 'send', attempt: 1, outcome: undefined });
    expect(['a', 'b']).toContain(call.backend!.key);
    expect(active().toSorted()).toEqual([0, 1]);
    expect(call.onOutcome('answered', 20)).toBe('answer');
    expect(call).toMatchObject({
      backend: undefined,
      outcome: 'answered',
      verdict: 'final',
      above: 'answered',
    });
    expect(active()).toEqual([0, 0]);
    expect(throttle.explain(stats(), 20)).toMatchObject({ requests: 1, accepts: 1 });
    expect(caller.expectedMs(20)).toBe(20);
  });

  it('takes as long as until its answer begins: what comes then may last for hours', () => {
    const { caller } = make();
    const call = caller.start(REQUEST, 0);
    call.onAnswerBegun(10);
    call.onOutcome('answered', 3_600_000);
    expect(caller.expectedMs(3_600_000)).toBe(10);
  });

  it('is retried at once when a task is overloaded, as a new request', () => {
    const { caller, budget, active } = make();
    const call = caller.start(REQUEST, 0);
    expect(call.onOutcome('task-overloaded', 1)).toBe('send');
    expect(call.attempt).toBe(2);
    expect(active().toSorted()).toEqual([0, 1]);
    expect(budget.explain(1).retries).toBe(1);
    expect(call.onOutcome('answered', 2)).toBe('answer');
    expect(call.above).toBe('answered');
  });

  describe('with a concurrency limit', () => {
    function limited(most: number, given: Partial<CallerOptions> = {}) {
      const made = make();
      const limiter = new ConcurrencyLimiter(fixedLimit(most));
      return { ...made, limiter, caller: new Caller({ ...made.caller.parts, limiter }, given) };
    }

    it('waits while as many are without an answer as may be, the most critical first', () => {
      const { caller, limiter } = limited(1);
      const first = caller.start(REQUEST, 0);
      const later = caller.start({ ...REQUEST, criticality: 'SHEDDABLE' }, 1);
      const critical = caller.start(REQUEST, 2);
      expect([first.step, later.step, critical.step, limiter.inFlight]).toEqual(['send', 'wait', 'wait', 1]);
      expect([caller.hasRoom(3), caller.resume(3)]).toEqual([false, undefined]);
      first.onAnswerBegun(4);
      expect([caller.hasRoom(4), limiter.inFlight]).toEqual([true, 0]);
      expect([caller.resume(4), critical.step]).toEqual([critical, 'send']);
      expect(caller.resume(5)).toBeUndefined();
      // Its place was given back when its answer began.
      first.onOutcome('answered', 6);
      expect(limiter.inFlight).toBe(1);
      expect([caller.expire(101), later.error?.message]).toEqual([
        later,
        'the service is at its limit of 1 requests at once, waited 100 ms',
      ]);
    });

    it.each<[Outcome, number]>([
      ['answered', 1],
      ['failed', 1],
      ['broken', 1],
      ['overloaded-no-retry', 0],
      ['limited', 0],
      ['connect-failed', 0],
    ])('gives its place back when it is %s, and %i of it is learned from', (outcome, learned) => {
      const { caller, limiter } = limited(1, { maxAttempts: 1 });
      const released = vi.spyOn(limiter, 'release');
      caller.start(REQUEST, 0).onOutcome(outcome, 5);
      expect([limiter.inFlight, released.mock.calls.length]).toEqual([0, learned]);
    });

    it('gives it back when its caller leaves, and when there is no backend for it', () => {
      const { caller, limiter, roster } = limited(1);
      caller.start(REQUEST, 0).abort(1);
      expect(limiter.inFlight).toBe(0);
      roster.update([]);
      expect([caller.start(REQUEST, 2).step, limiter.inFlight]).toEqual(['refuse', 0]);
    });

    it('tells the limit of the place that it frees when its answer begins, and when its caller leaves', () => {
      const made = make();
      const seen: LimitSample[] = [];
      const limiter = new ConcurrencyLimiter({ limit: 1, onSample: (sample) => seen.push({ ...sample }) });
      const caller = new Caller({ ...made.caller.parts, limiter });
      const begun = caller.start(REQUEST, 0);
      begun.onAnswerBegun(10);
      expect(seen.at(-1)).toEqual({ now: 10, inFlight: 1, isDone: true, latencyMs: 10 });
      begun.onOutcome('answered', 15);
      caller.start(REQUEST, 20).abort(50);
      expect(seen.at(-1)).toEqual({ now: 50, inFlight: 1, isDone: true, latencyMs: 30 });
    });

    it('tells the limit how many flow control lets through, when that is what refuses', () => {
      const made = make({ activeLimit: 2 });
      const bounds: number[] = [];
      const limiter = new ConcurrencyLimiter({
        limit: 9,
        onSample() {},
        boundBy: (most) => bounds.push(most),
      });
      const caller = new Caller({ ...made.caller.parts, limiter });
      const calls = Array.from({ length: 5 }, () => caller.start(REQUEST, 0));
      expect(calls.map(({ step }) => step)).toEqual(['send', 'send', 'send', 'send', 'wait']);
      expect([bounds, limiter.inFlight]).toEqual([[4], 4]);
      made.roster.update([]);
      caller.start(REQUEST, 1);
      expect(bounds).toEqual([4]);
    });

    it('keeps the answer it has when another took its place meanwhile', () => {
      const { caller, budget } = limited(1);
      const first = caller.start({ ...REQUEST, isIdempotent: true }, 0);
      first.onAnswerBegun(1);
      expect(caller.start(REQUEST, 1).step).toBe('send');
      expect(first.onOutcome('broken', 2)).toBe('answer');
      expect([first.verdict, budget.explain(2).retries]).toEqual(['all-busy', 0]);
    });

    it('is not sent again where there is no place for it', () => {
      const { caller, limiter } = limited(2);
      const calls = [caller.start(REQUEST, 0), caller.start(REQUEST, 0), caller.start(REQUEST, 0)];
      expect(calls.map(({ step }) => step)).toEqual(['send', 'send', 'wait']);
      expect(calls[0]!.onOutcome('task-overloaded', 1)).toBe('send');
      calls[1]!.onOutcome('answered', 2);
      caller.resume(2);
      expect([calls[2]!.step, limiter.inFlight]).toEqual(['send', 2]);
    });
  });

  it('is not retried where there is no capacity for it, and its budget is given back', () => {
    const { caller: made, budget, active, throttle, stats } = make();
    const asked: number[] = [];
    let left = 1;
    const tryTakeCapacity = (now: number) => {
      asked.push(now);
      return left-- > 0;
    };
    const caller = new Caller({ ...made.parts, tryTakeCapacity });
    const first = caller.start(REQUEST, 0);
    expect(first.onOutcome('task-overloaded', 1)).toBe('send');
    for (let now = 2; now < 30; now++) caller.start(REQUEST, now).onOutcome('answered', now);
    const second = caller.start(REQUEST, 30);
    expect(second.onOutcome('task-overloaded', 31)).toBe('answer');
    expect(second).toMatchObject({ verdict: 'no-capacity', above: 'overloaded-no-retry' });
    expect(asked).toEqual([1, 31]);
    // Two were refused by a backend; the retry that was not sent is no third.
    expect(throttle.explain(stats(), 31)).toMatchObject({ rejects: 2 });
    expect(budget.explain(31).retries).toBe(1);
    expect(first.onOutcome('answered', 32)).toBe('answer');
    expect(active()).toEqual([0, 0]);
  });

  it('is tried three times, and then no layer above tries again', () => {
    const { caller } = make({ ratio: 5 });
    const call = caller.start(REQUEST, 0);
    const steps = [1, 2, 3].map((now) => call.onOutcome('task-overloaded', now));
    expect(steps).toEqual(['send', 'send', 'answer']);
    expect(call).toMatchObject({ attempt: 3, verdict: 'attempts-used-up', above: 'overloaded-no-retry' });
    const once = make({ ratio: 5, maxAttempts: 1 }).caller.start(REQUEST, 0);
    expect(once.onOutcome('task-overloaded', 1)).toBe('answer');
  });

  it('is not retried when told not to, nor when the budget is spent', () => {
    const { caller } = make();
    expect(caller.start(REQUEST, 0).onOutcome('overloaded-no-retry', 1)).toBe('answer');
    expect(caller.start(REQUEST, 1).onOutcome('task-overloaded', 1)).toBe('send');
    const call = caller.start(REQUEST, 2);
    expect(call.onOutcome('task-overloaded', 2)).toBe('answer');
    expect(call).toMatchObject({ verdict: 'budget-spent', above: 'overloaded-no-retry' });
  });

  it('tries again for free when no connection was made', () => {
    const { caller, budget, roster } = make({ ratio: 0 });
    const call = caller.start(REQUEST, 0);
    expect([call.onOutcome('connect-failed', 1), call.onOutcome('connect-failed', 2)]).toEqual([
      'send',
      'send',
    ]);
    expect(call.onOutcome('connect-failed', 3)).toBe('answer');
    expect(call).toMatchObject({ attempt: 3, verdict: 'attempts-used-up', above: 'failed' });
    // Nothing was withdrawn for it, so nothing of others' is given back when it cannot be sent.
    const rich = make({ ratio: 1 });
    const other = rich.caller.start(REQUEST, 0);
    other.onOutcome('task-overloaded', 0);
    const lost = rich.caller.start(REQUEST, 0);
    for (const key of ['a', 'b']) rich.roster.mark(key, 'refusing', 0);
    expect(lost.onOutcome('connect-failed', 0)).toBe('answer');
    expect(rich.budget.explain(0).retries).toBe(1);
    expect([budget.explain(3).retries, roster.activeLimit]).toEqual([0, 100]);
  });

  it('is not sent twice when it may have been processed, unless that does no harm', () => {
    const { caller } = make({ ratio: 5 });
    const post = caller.start(REQUEST, 0);
    expect(post.onOutcome('broken', 1)).toBe('answer');
    expect(post).toMatchObject({ verdict: 'may-have-been-processed', above: 'failed' });
    const get = caller.start({ ...REQUEST, isIdempotent: true }, 0);
    expect(get.onOutcome('broken', 1)).toBe('send');
    const stream = caller.start(REQUEST, 0);
    stream.isBodyConsumed = true;
    expect(stream.onOutcome('task-overloaded', 1)).toBe('answer');
    expect(stream.verdict).toBe('body-consumed');
  });

  it('waits with its next attempt as long as the backend asks, which is no part of how long it takes', () => {
    const { caller } = make({ ratio: 5 });
    const call = caller.start(REQUEST, 0);
    call.pushbackMs = 100;
    expect(call.onOutcome('task-overloaded', 1)).toBe('send');
    call.pushbackMs = 0;
    expect(call.onOutcome('answered', 121)).toBe('answer');
    expect(caller.expectedMs(121)).toBe(20);
    const told = caller.start(REQUEST, 200);
    told.pushbackMs = -1;
    expect(told.onOutcome('task-overloaded', 201)).toBe('answer');
    expect(told).toMatchObject({ verdict: 'final', above: 'overloaded-no-retry' });
  });

  it('is not retried when the answer would come too late', () => {
    const { caller } = make({ ratio: 5 });
    caller.start(REQUEST, 0).onOutcome('answered', 50); // attempts take 50 ms
    const call = caller.start({ ...REQUEST, deadlineMs: 140 }, 80);
    expect(call.onOutcome('task-overloaded', 90)).toBe('answer');
    expect(call.verdict).toBe('no-time');
  });

  it('is refused when its deadline has passed, and nothing is counted', () => {
    const { caller, throttle, stats, active } = make();
    const call = caller.start({ ...REQUEST, deadlineMs: 10 }, 10);
    expect(call.step).toBe('refuse');
    expect(call.error).toMatchObject({
      code: 'PLIMSOLL_DEADLINE',
      message: expect.stringContaining('deadline'),
      retry: 'no',
    });
    expect(call.error).toBe(call.error);
    expect(call.code).toBe('PLIMSOLL_DEADLINE');
    expect(throttle.explain(stats(), 10).requests).toBe(0);
    expect(active()).toEqual([0, 0]);
  });

  it('is refused when there is no backend, and nothing is counted', () => {
    const { caller, roster, throttle, stats } = make();
    for (const key of ['a', 'b']) roster.mark(key, 'refusing', 0);
    const call = caller.start(REQUEST, 0);
    expect(call.step).toBe('refuse');
    expect(call.error).toMatchObject({ code: 'PLIMSOLL_NO_BACKEND' });
    expect(call.above).toBe('overloaded-no-retry');
    expect(throttle.explain(stats(), 0).requests).toBe(0);
  });

  it('is withheld when the service refuses most of its kind, and only of its kind', () => {
    const { caller, throttle, stats } = make();
    let withheld = 0;
    for (let now = 0; now < 400; now++) {
      const call = caller.start(REQUEST, now);
      if (call.step === 'send') call.onOutcome('overloaded-no-retry', now);
      else {
        expect(call.error).toMatchObject({
          code: 'PLIMSOLL_THROTTLED',
          message: expect.stringContaining('withheld'),
          retry: 'no',
        });
        withheld++;
      }
    }
    expect(withheld).toBeGreaterThan(300);
    expect(throttle.explain(stats(), 400)).toMatchObject({ requests: 400, localRefusals: withheld });
    expect(caller.start({ ...REQUEST, criticality: 'CRITICAL_PLUS' }, 400).step).toBe('send');
    expect(caller.start({ ...REQUEST, customer: 'other' }, 400).step).toBe('send');
  });

  it('keeps the answer it has when a retry cannot be sent', () => {
    // Only one backend, and it goes lame duck while the attempt is under way.
    const { caller, roster, budget } = make({ backends: ['a'], ratio: 5 });
    const call = caller.start(REQUEST, 0);
    roster.mark('a', 'lame-duck', 1);
    expect(call.onOutcome('task-overloaded', 2)).toBe('answer');
    expect(call).toMatchObject({
      attempt: 1,
      verdict: 'no-backend',
      above: 'overloaded-no-retry',
      error: undefined,
    });
    expect(budget.explain(2).retries).toBe(0);
  });

  it('keeps the answer it has when the throttle withholds the retry', () => {
    const { caller, throttle, stats, budget } = make({ ratio: 5 });
    const call = caller.start(REQUEST, 0);
    for (let index = 0; index < 5_000; index++) throttle.settle(stats(), 'rejected', 0);
    expect(call.onOutcome('task-overloaded', 1)).toBe('answer');
    expect(call.verdict).toBe('throttled');
    expect(budget.explain(1).retries).toBe(0);
  });

  it('earns retries by what it sends, not by what is withheld', () => {
    const { caller, budget, throttle, stats } = make();
    for (let index = 0; index < 5_000; index++) throttle.settle(stats(), 'rejected', 0);
    const steps = new Set(Array.from({ length: 100 }, () => caller.start(REQUEST, 1).step));
    expect([...steps]).toEqual(['refuse']);
    caller.start({ ...REQUEST, deadlineMs: 0 }, 1);
    expect(budget.explain(1).requests).toBe(0);
    expect(caller.start({ ...REQUEST, customer: 'other' }, 1).step).toBe('send');
    expect(budget.explain(1).requests).toBe(1);
  });

  it('is not upset by an outcome that is none', () => {
    const { caller, active } = make();
    const call = caller.start(REQUEST, 0);
    expect(() => call.onOutcome('ok' as Outcome, 1)).toThrow('outcome must be one of');
    expect(call.step).toBe('send');
    call.abort(2);
    expect(active()).toEqual([0, 0]);
  });

  it('learns how long an attempt takes from when it was sent', () => {
    const { caller } = make();
    caller.start(REQUEST, 1_000).onOutcome('answered', 1_030);
    expect(caller.expectedMs(1_030)).toBe(30);
  });

  it('refuses a second outcome for one attempt', () => {
    const call = make().caller.start(REQUEST, 0);
    call.onOutcome('answered', 1);
    expect(() => call.onOutcome('answered', 2)).toThrow("whose step is 'answer'");
  });
});

describe('when all backends are busy', () => {
  it('a call waits, and is sent when there is room', () => {
    const { caller } = make({ backends: ['a'], activeLimit: 1 });
    const first = caller.start(REQUEST, 0);
    const second = caller.start(REQUEST, 5);
    expect(second.step).toBe('wait');
    expect(caller.nextExpiryMs).toBe(105);
    expect(caller.resume(6)).toBeUndefined();
    first.onOutcome('answered', 20);
    expect(caller.resume(20)).toBe(second);
    expect(second).toMatchObject({ step: 'send', attempt: 1 });
    expect(caller.resume(20)).toBeUndefined();
    expect(caller.nextExpiryMs).toBeUndefined();
  });

  it('a call whose policy throws when its turn has come is told, and holds nothing', () => {
    const { caller: unlimited, active, throttle, stats } = make({ backends: ['a'] });
    const limiter = new ConcurrencyLimiter(fixedLimit(1));
    const caller = new Caller({ ...unlimited.parts, limiter });
    const first = caller.start(REQUEST, 0);
    const second = caller.start(REQUEST, 5);
    first.onOutcome('answered', 20);
    caller.parts.picker.pick = () => {
      throw new Error('an impossible policy');
    };
    expect(caller.resume(20)).toBe(second);
    expect([second.step, second.code, second.error]).toEqual(['refuse', undefined, undefined]);
    expect(second.thrown?.message).toBe('an impossible policy');
    expect(active()).toEqual([0]);
    expect(limiter.inFlight).toBe(0);
    expect(throttle.explain(stats(), 20).requests).toBe(1);
    second.abort(21);
    expect(second.step).toBe('refuse');
  });

  it('a call that has not begun is in no line, and can be given up', () => {
    const { caller, throttle, stats } = make();
    new Call(caller, REQUEST).abort(0);
    expect(throttle.explain(stats(), 0).requests).toBe(0);
  });

  it('a call waits a little, never past its deadline, and then fails with an error that says so', () => {
    const { caller, throttle, stats } = make({ backends: ['a'], activeLimit: 1, waiting: { maxWaitMs: 50 } });
    caller.start(REQUEST, 0);
    const patient = caller.start(REQUEST, 0);
    const hurried = caller.start({ ...REQUEST, deadlineMs: 30 }, 0);
    expect(caller.nextExpiryMs).toBe(30);
    expect(caller.expire(29)).toBeUndefined();
    expect(caller.expire(30)).toBe(hurried);
    expect(hurried).toMatchObject({ step: 'refuse', code: 'PLIMSOLL_ALL_BUSY' });
    expect(hurried.error?.message).toBe('the one backend is at the limit of 1 active requests, waited 30 ms');
    expect(caller.expire(50)).toBe(patient);
    expect(patient.error?.code).toBe('PLIMSOLL_ALL_BUSY');
    expect(caller.expire(60)).toBeUndefined();
    expect(throttle.explain(stats(), 60).requests).toBe(0);
  });

  it('a call is refused at once when too many wait', () => {
    const { caller } = make({ backends: ['a'], activeLimit: 1, waiting: { maxWaiting: 1 } });
    caller.start(REQUEST, 0);
    expect(caller.start(REQUEST, 0).step).toBe('wait');
    const third = caller.start(REQUEST, 0);
    expect(third).toMatchObject({ step: 'refuse', code: 'PLIMSOLL_ALL_BUSY' });
    expect(third.error?.message).toContain('waited 0 ms');
  });

  it('a call whose wait is over is not sent any more, though there is room and it was not told yet', () => {
    const { caller } = make({ backends: ['a'], activeLimit: 1, waiting: { maxWaitMs: 50 } });
    const first = caller.start(REQUEST, 0);
    const late = caller.start(REQUEST, 0);
    first.onOutcome('answered', 50);
    expect(caller.resume(50)).toBeUndefined();
    expect(late.step).toBe('wait');
    expect(caller.expire(50)).toBe(late);
  });

  it('a waiting call is refused when the backends are gone', () => {
    const { caller, roster } = make({ backends: ['a', 'b'], activeLimit: 1 });
    caller.start(REQUEST, 0);
    caller.start(REQUEST, 0);
    const waiting = caller.start(REQUEST, 0);
    roster.update(['c']);
    roster.mark('c', 'ready', 1);
    expect(caller.resume(1)).toBe(waiting);
    expect(waiting.backend!.key).toBe('c');
  });
});

describe('an abort', () => {
  it('gives everything back, whatever the step', () => {
    const { caller, active, throttle, stats } = make({ backends: ['a'], activeLimit: 1 });
    const sent = caller.start(REQUEST, 0);
    const waiting = caller.start(REQUEST, 0);
    waiting.abort(1);
    sent.abort(1);
    expect([sent.step, waiting.step]).toEqual(['aborted', 'aborted']);
    expect(active()).toEqual([0]);
    expect(caller.resume(1)).toBeUndefined();
    expect(caller.expire(1_000)).toBeUndefined();
    expect(throttle.explain(stats(), 1).requests).toBe(0);
    sent.abort(2); // twice is once
    const done = caller.start(REQUEST, 2);
    done.onOutcome('answered', 3);
    done.abort(4);
    expect(done.step).toBe('answer');
  });
});

describe('any history of calls', () => {
  it('leaves no permit taken, nobody waiting, and retries within the budget', () => {
    const outcomes = Object.keys(LESSONS) as Outcome[];
    const event = fc.record({
      kind: fc.constantFrom('start', 'start', 'outcome', 'outcome', 'abort', 'mark', 'wait'),
      which: fc.nat(),
      outcome: fc.constantFrom(...outcomes),
      isIdempotent: fc.boolean(),
      timeoutMs: fc.constantFrom(1, 40, 10_000),
      ms: fc.nat(120),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 150 }), (events) => {
        const { caller, roster, active, budget } = make({ backends: ['a', 'b'], activeLimit: 2, ratio: 0.5 });
        const open = new Set<Call>();
        const waiting = new Set<Call>();
        let now = 0;
        let sent = 0;
        const note = (call: Call | undefined) => {
          if (call?.step === 'send' && call.attempt === 1 && !open.has(call)) sent++;
          if (call?.step === 'send' && call.attempt === 1 && waiting.delete(call)) sent++;
          if (call?.step === 'wait') waiting.add(call);
          if (call?.step === 'send' || call?.step === 'wait') open.add(call);
          else if (call) open.delete(call);
        };
        const drive = () => {
          for (let call = caller.resume(now); call; call = caller.resume(now)) note(call);
          for (let call = caller.expire(now); call; call = caller.expire(now)) {
            expect(call.step).toBe('refuse');
            note(call);
          }
        };
        for (const { kind, which, outcome, isIdempotent, timeoutMs, ms } of events) {
          const list = [...open];
          const chosen = list[which % Math.max(1, list.length)];
          if (kind === 'wait') now += ms;
          if (kind === 'mark') roster.mark(which % 2 ? 'a' : 'b', which % 3 ? 'ready' : 'refusing', now);
          if (kind === 'start')
            note(caller.start({ ...REQUEST, isIdempotent, deadlineMs: now + timeoutMs }, now));
          if (kind === 'outcome' && chosen?.step === 'send') {
            chosen.onOutcome(outcome, now);
            note(chosen);
          }
          if (kind === 'abort' && chosen) {
            chosen.abort(now);
            note(chosen);
          }
          drive();
          const sending = [...open].filter((call) => call.step === 'send').length;
          expect(active().reduce((sum, count) => sum + count, 0)).toBe(sending);
          const { requests, retries } = budget.explain(now);
          expect(requests).toBeLessThanOrEqual(sent);
          expect(retries).toBeLessThanOrEqual(Math.max(1, requests * 0.5));
        }
        for (const call of open) call.abort(now);
        expect(active()).toEqual([0, 0]);
        expect(caller.nextExpiryMs).toBeUndefined();
      }),
    );
  });

  it('refuses impossible options with field and value', () => {
    expect(() => make({ maxAttempts: 0 })).toThrow('maxAttempts must be an integer >= 1, got 0');
    expect(() => make({ attempts: 2 } as Given)).toThrow('caller has no option "attempts"');
    expect(() => make({ latencyDecayMs: 0 })).toThrow('latencyDecayMs must be a finite number > 0, got 0');
    expect(() => make({ waiting: { maxWaitMs: -1 } })).toThrow(
      'maxWaitMs must be a finite number >= 0, got -1',
    );
  });
});
