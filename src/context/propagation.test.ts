import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { hasCheapContext, Propagation } from './propagation.js';
import { BackgroundContext } from './request-context.js';

function request(): BackgroundContext {
  return new BackgroundContext('CRITICAL');
}

function dear(now = 0) {
  const world = { isCheap: false, now, monotonicMs: () => world.now };
  return { world, propagation: new Propagation(world) };
}

/** Past the number and the time after which nobody is expected to ask. */
function beQuiet({ world, propagation }: ReturnType<typeof dear>): void {
  world.now += 10_000;
  for (let index = 0; index < 1_000; index++) propagation.run(request(), () => undefined, 0, 0);
}

/** Whom it serves at once, and whom after an await. */
async function seenBy(propagation: Propagation, served: BackgroundContext) {
  let atOnce: unknown;
  const later = await propagation.run(
    served,
    async () => {
      atOnce = propagation.peek();
      await Promise.resolve();
      return propagation.peek();
    },
    0,
    0,
  );
  return { atOnce, later };
}

describe('Propagation', () => {
  it('passes both arguments and the result', () => {
    const { propagation } = dear();
    expect(propagation.run(request(), (a, b) => `${a}${b}`, 1, 'b')).toBe('1b');
    propagation.want('off');
    expect(propagation.run(request(), (a, b) => `${a}${b}`, 1, 'b')).toBe('1b');
    expect(propagation.enter(request(), (a, b) => `${a}${b}`, 1, 'b')).toBe('1b');
  });

  it('knows the request across awaits from the start', async () => {
    const { propagation } = dear();
    const served = request();
    expect(await seenBy(propagation, served)).toEqual({ atOnce: served, later: served });
    expect(propagation.peek()).toBeUndefined();
  });

  it('knows it in the synchronous part only, once nobody has asked for long', async () => {
    const quiet = dear();
    beQuiet(quiet);
    expect(quiet.propagation.isOn).toBe(false);
    const served = request();
    expect(await seenBy(quiet.propagation, served)).toEqual({ atOnce: served, later: undefined });
    expect(quiet.propagation.peek()).toBeUndefined();
  });

  it('keeps it up where that is cheap', () => {
    const world = { isCheap: true, now: 0, monotonicMs: () => world.now };
    const propagation = new Propagation(world);
    beQuiet({ world, propagation });
    expect(propagation.isOn).toBe(true);
  });

  it('is on for good from the first question, for the one that asks in its synchronous part too', async () => {
    const quiet = dear();
    const { propagation } = quiet;
    beQuiet(quiet);
    const first = request();
    const later = await propagation.run(
      first,
      async () => {
        propagation.need();
        await Promise.resolve();
        return propagation.peek();
      },
      0,
      0,
    );
    expect(later).toBe(first);
    expect(propagation.peek()).toBeUndefined();
    beQuiet(quiet);
    expect(propagation.isOn).toBe(true);
    expect((await seenBy(propagation, first)).later).toBe(first);
  });

  it('forgets the request that was running when it was switched on, as soon as that returns', async () => {
    const quiet = dear();
    beQuiet(quiet);
    quiet.propagation.run(request(), () => quiet.propagation.need(), 0, 0);
    await Promise.resolve();
    expect(quiet.propagation.peek()).toBeUndefined();
  });

  it('loses a request that was in flight when the first question came', async () => {
    const quiet = dear();
    beQuiet(quiet);
    const inFlight = quiet.propagation.run(
      request(),
      async () => {
        await Promise.resolve();
        quiet.propagation.need();
        return quiet.propagation.peek();
      },
      0,
      0,
    );
    expect(await inFlight).toBeUndefined();
    expect(quiet.propagation.isOn).toBe(true);
  });

  it('knows nested requests apart, on and off', () => {
    const { propagation } = dear();
    const [outer, inner] = [request(), request()];
    const nest = () =>
      propagation.run(
        outer,
        () => [propagation.run(inner, () => propagation.peek(), 0, 0), propagation.peek()],
        0,
        0,
      );
    expect(nest()).toEqual([inner, outer]);
    propagation.want('off');
    expect(nest()).toEqual([inner, outer]);
    expect(propagation.peek()).toBeUndefined();
  });

  it('forgets the request when its handler throws', () => {
    const { propagation } = dear();
    propagation.want('off');
    const fail = () => {
      throw new Error('handler');
    };
    expect(() => propagation.run(request(), fail, 0, 0)).toThrow('handler');
    expect(propagation.peek()).toBeUndefined();
  });

  it('does what the most demanding guard wants', () => {
    const { propagation } = dear();
    const undoOff = propagation.want('off');
    expect(propagation.isOn).toBe(false);
    const undoAlways = propagation.want('always');
    expect(propagation.isOn).toBe(true);
    undoAlways();
    undoAlways();
    expect(propagation.isOn).toBe(false);
    const undoAuto = propagation.want('auto');
    expect(propagation.isOn).toBe(true);
    undoAuto();
    undoOff();
    expect(propagation.isOn).toBe(true);
  });

  it('stays off when all guards want that, whoever asks', () => {
    const { propagation } = dear();
    propagation.want('off');
    propagation.need();
    expect(propagation.isOn).toBe(false);
  });

  it('stays on for a guard that always wants it', () => {
    const quiet = dear();
    quiet.propagation.want('always');
    beQuiet(quiet);
    expect(quiet.propagation.isOn).toBe(true);
  });

  it('is on while it is held', () => {
    const { propagation } = dear();
    propagation.want('off');
    propagation.hold();
    propagation.hold();
    propagation.release();
    expect(propagation.isOn).toBe(true);
    propagation.release();
    expect(propagation.isOn).toBe(false);
  });

  it('does not count what goes on within a request as another', () => {
    const { world, propagation } = dear();
    world.now = 10_000;
    for (let index = 0; index < 5_000; index++) propagation.enter(request(), () => undefined, 0, 0);
    expect(propagation.isOn).toBe(true);
  });

  it('leaves the async context of others alone', async () => {
    const others = new AsyncLocalStorage<string>();
    const quiet = dear();
    const seen = others.run('theirs', async () => {
      beQuiet(quiet);
      await Promise.resolve();
      return others.getStore();
    });
    expect(await seen).toBe('theirs');
  });
});

describe('hasCheapContext', () => {
  it('tells AsyncContextFrame from async_hooks', () => {
    // Node 24 has AsyncContextFrame unless told otherwise; before, it does not unless told so.
    const isDefault = Number(process.versions.node.split('.')[0]) >= 24;
    expect(hasCheapContext()).toBe(isDefault);
  });
});
