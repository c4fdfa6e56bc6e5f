import { useState } from 'preact/hooks';
import { change } from '../data/admin.js';
import type { Live } from '../live/live.js';
import { ALL_WORKERS } from '../live/live.js';
import { StateBadge } from '../parts/badge.js';
import { confirmed } from '../parts/confirm.js';
import { bytes, duration } from '../text/format.js';
import { whyNow } from '../text/why-now.js';

interface StatusProps {
  readonly live: Live;
  readonly onSubject: (subject: string) => void;
}

/** State, mode and the sentence that says why; and what can be done about it. */
export function Status({ live, onSubject }: StatusProps) {
  const { history, workers, subject } = live;
  const { guard, process, state } = history.current ?? {};
  return (
    <section class="status span-12" aria-label="State">
      <div class="status-main">
        <StateBadge state={state ?? guard?.state ?? 'connecting'} />
        <p class="why">
          {guard === undefined
            ? 'Waiting for the first snapshot …'
            : whyNow(guard.why, history.last?.reasons)}
        </p>
      </div>
      <dl class="facts">
        {guard === undefined ? undefined : <Fact name="guard" value={guard.mode} />}
        {process?.uptimeMs === undefined ? undefined : <Fact name="up" value={duration(process.uptimeMs)} />}
        {process?.residentBytes === undefined ? undefined : (
          <Fact name="memory" value={bytes(process.residentBytes)} />
        )}
        {guard === undefined ? undefined : <Fact name="connections" value={String(guard.connections)} />}
      </dl>
      {workers === undefined ? undefined : (
        <label class="picker">
          Worker
          <select value={subject} onChange={({ currentTarget }) => onSubject(currentTarget.value)}>
            <option value={ALL_WORKERS}>all</option>
            {Object.keys(workers.workers).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <Actions token={live.token} />
    </section>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

const ACTIONS = [
  {
    path: 'lame-duck',
    verb: 'Lame duck',
    question:
      'Make it a lame duck? It serves on, and tells its clients to go elsewhere. There is no way back but a restart.',
  },
  {
    path: 'drain',
    verb: 'Drain',
    question: 'Drain it? It finishes what it has, and the process ends.',
  },
] as const;

function Actions({ token }: { readonly token: string | undefined }) {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const act = async ({ path, verb, question }: (typeof ACTIONS)[number]) => {
    if (await confirmed(question, verb)) setProblem(await change(path, token));
  };
  return (
    <div class="actions">
      {ACTIONS.map((action) => (
        <button
          key={action.path}
          type="button"
          class="button"
          disabled={token === undefined}
          aria-describedby={token === undefined ? 'read-only' : undefined}
          onClick={() => void act(action)}
        >
          {action.verb} …
        </button>
      ))}
      {token === undefined ? (
        <span id="read-only" class="hint">
          Read only: set <code>admin.token</code> and open this page with it to act from here.
        </span>
      ) : undefined}
      {problem === undefined ? undefined : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
