import type { Control } from './control/control.js';
import type { BackendReading } from './fleet/backend-reading.js';
import type { LoadReading } from './load-reading.js';

/** What the demo adds to the snapshot. The page reads it by these types: nothing here may need Node. */
export interface DemoPart {
  readonly controls: readonly Control[];
  readonly load: LoadReading;
  readonly backends: readonly BackendReading[];
  /** Who may use how much; undefined before it is known what there is. */
  readonly quotaNote: string | undefined;
}
