import type { AdminCall, AdminPath } from './admin-paths.js';
import type { AdminTarget } from './admin-target.js';
import { type AdminAnswer, json, problem } from './answers.js';

/** Plain data, which is answered as JSON. Undefined: there is nothing of that name. */
export type FurtherAct = (call: AdminCall) => object | undefined | Promise<object | undefined>;

/** A path that an admin port has besides its own. */
export interface FurtherPath {
  /** As `/demo`, or `/demo/{control}`: what stands for the last part is the name of the call. */
  readonly path: string;
  /** For the list of all paths: one line. */
  readonly what: string;
  /** Reads. A RangeError is shown to whoever asked; anything else that is thrown goes to the log. */
  readonly get?: FurtherAct;
  /** Changes something, so whoever asks has to be allowed to. */
  readonly post?: FurtherAct;
}

/** What somebody adds to an admin port, which knows nothing of it. */
export interface AdminFurther {
  /** Goes into each snapshot, beside what is there; names that are there already are not replaced. */
  snapshot(): object;
  readonly paths: readonly FurtherPath[];
}

/** What a target does and why, with what was added to it. */
export async function wholeSnapshot(target: AdminTarget): Promise<object> {
  const own = await target.snapshot();
  return target.further === undefined ? own : { ...target.further.snapshot(), ...own };
}

export function furtherPaths({ further }: AdminTarget): AdminPath[] {
  return (further?.paths ?? []).map(({ path, what, get, post }) => ({
    path,
    what,
    methods: {
      ...(get === undefined ? {} : { GET: answered(get) }),
      ...(post === undefined ? {} : { POST: answered(post) }),
    },
  }));
}

function answered(act: FurtherAct): (call: AdminCall) => Promise<AdminAnswer> {
  return async (call) => {
    try {
      const value = await act(call);
      return value === undefined
        ? problem(404, `there is no ${JSON.stringify(call.name.slice(0, 64))}`)
        : json(value);
    } catch (error) {
      // As all impossible values are refused: with the name of what is wrong.
      if (error instanceof RangeError) return problem(422, error.message);
      throw error;
    }
  };
}
