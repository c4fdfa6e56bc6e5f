import { DemoPanel } from '../demo/demo-panel.js';
import type { Live } from '../live/live.js';
import { Customers } from './customers.js';
import { Decisions } from './decisions.js';
import { Figures } from './figures.js';
import { GuardPanel } from './guard.js';
import { Happenings } from './happenings.js';
import { Limits } from './limits.js';
import { Fullness, Times } from './saturation.js';
import { Services } from './services.js';
import { Status } from './status.js';
import { Traffic } from './traffic.js';
import { Batches, Queue } from './waiting.js';
import { Workers } from './workers.js';

interface OverviewProps {
  readonly live: Live;
  readonly onSubject: (subject: string) => void;
}

/** Everything at once, most urgent first. Parts of which a snapshot says nothing are not there. */
export function Overview({ live, onSubject }: OverviewProps) {
  const { connection } = live;
  return (
    <div class="grid">
      {connection.kind === 'lost' ? (
        <p class="problem span-12">
          Not connected, trying again: {connection.reason}. What is shown is as old as that.
        </p>
      ) : undefined}
      <Status live={live} onSubject={onSubject} />
      <Figures live={live} />
      <DemoPanel live={live} />
      <Traffic live={live} />
      <Fullness live={live} />
      <Times live={live} />
      <Services live={live} />
      <GuardPanel live={live} />
      <Customers live={live} />
      <Limits live={live} />
      <Queue live={live} />
      <Batches live={live} />
      <Happenings live={live} />
      <Workers live={live} />
      <Decisions live={live} />
    </div>
  );
}
