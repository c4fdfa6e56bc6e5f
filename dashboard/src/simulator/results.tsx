import { formatCheckValue, holds, summarize } from '../../../src/simulations/report/checks.js';
import { sectionsOf } from '../../../src/simulations/report/sections.js';
import type { Check } from '../../../src/simulator/report/result.js';
import { type Column, Table } from '../parts/table.js';
import { commandOf } from './command.js';
import { FigureView } from './figure/figure-view.js';
import type { Choice, FinishedRun } from './protocol.js';
import { ResultTable } from './result-table.js';

interface Props {
  readonly run: FinishedRun;
  readonly choice: Choice;
  readonly elapsedMs: number;
  readonly onEdit: (text: string) => void;
}

/** What a scenario found: claims first, then figures, then the numbers. */
export function Results({ run, choice, elapsedMs, onEdit }: Props) {
  const { result, figures, fleets, claim } = run;
  return (
    <article class="panel sim-results" aria-labelledby="sim-results">
      <h2 id="sim-results">
        {result.scenario} · seed {result.seed}
      </h2>
      <p class="hint">
        {claim}. Took {(elapsedMs / 1_000).toFixed(1)} s here; <code>{commandOf(choice)}</code> says the same.
      </p>
      <Checks checks={result.checks} />
      {fleets.length > 0 && (
        <p class="sim-buttons">
          Change it and run it again:
          {fleets.map(({ name, text }) => (
            <button key={name} type="button" class="button" onClick={() => onEdit(text)}>
              edit {name}
            </button>
          ))}
        </p>
      )}
      {figures.map((figure) => (
        <FigureView key={figure.title} figure={figure} />
      ))}
      {sectionsOf(result.rows).map(([title, rows]) => (
        <ResultTable key={title} title={title} rows={rows} />
      ))}
    </article>
  );
}

function Checks({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <div>
      <p class={`sim-verdict ${holds({ checks }) ? 'sim-good' : 'sim-bad'}`} role="status">
        {summarize(checks)}
      </p>
      <Table
        caption="claims"
        columns={CHECK_COLUMNS}
        rows={checks}
        keyOf={({ name }) => name}
        empty="No claims."
      />
    </div>
  );
}

const CHECK_COLUMNS: readonly Column<Check>[] = [
  { head: 'claim', cell: ({ name }) => name },
  {
    head: 'holds',
    cell: ({ holds: isSo }) => <span class={isSo ? 'sim-good' : 'sim-bad'}>{isSo ? '✓ yes' : '✗ no'}</span>,
  },
  { head: 'found', cell: formatCheckValue, kind: 'number' },
  { head: 'bound', cell: ({ bound }) => bound },
];
