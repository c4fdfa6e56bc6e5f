import type { AdminFurther } from '../../gateway/index.js';
import type { Control } from './control/control.js';
import type { DemoPart } from './demo-part.js';

export interface DemoSwitchboard {
  part(): DemoPart;
  /** Resolves when it holds. A RangeError says what is wrong with the value; undefined: there is no such control. */
  set(control: string, value: string | undefined): Promise<Control | undefined>;
}

/** Readings and controls of the demo, on the admin port. */
export function demoPaths(demo: DemoSwitchboard): AdminFurther {
  return {
    snapshot: () => ({ demo: demo.part() }),
    paths: [
      { path: '/demo', what: 'GET: controls, load and backends of the demo', get: () => demo.part() },
      {
        path: '/demo/{control}',
        what: 'POST ?value=…: changes something in the demo',
        post: ({ name, query }) => demo.set(name, query.get('value') ?? undefined),
      },
    ],
  };
}
