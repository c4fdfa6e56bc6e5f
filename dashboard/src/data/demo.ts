/** What only the demo has: things to turn, and what its own load sees. As the demo itself says it: by types alone. */
export type { Control } from '../../../src/cli/demo/control/control.js';
export type { DemoPart } from '../../../src/cli/demo/demo-part.js';
export type { BackendReading } from '../../../src/cli/demo/fleet/backend-reading.js';
export type { LoadReading } from '../../../src/cli/demo/load-reading.js';
export type { OutcomeCounts } from '../../../src/cli/demo/messages.js';
