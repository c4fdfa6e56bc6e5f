import type { Live } from '../live/live.js';
import { Criticality } from '../parts/badge.js';
import { Bar } from '../parts/bar.js';
import { Panel } from '../parts/panel.js';
import { count, percent, ratio } from '../text/format.js';

/** What the guard goes by, and whom it refuses at present. */
export function GuardPanel({ live }: { readonly live: Live }) {
  const { guard } = live.history.current ?? {};
  if (guard === undefined) return null;
  const { signals, cpu, eventLoop } = guard.utilization;
  const shares = [...(guard.gate?.refusedShares ?? [])].reverse();
  const retryShare = guard.gate?.advice?.retryShare;
  return (
    <Panel id="guard" title="Guard" span={6} note="each signal against its target">
      <div class="halves">
        <div>
          <h3>Signals</h3>
          <ul class="meters">
            {signals.map(({ name, utilization }) => (
              <li key={name}>
                <span>{name}</span>
                <Bar value={utilization} text={ratio(utilization)} />
              </li>
            ))}
          </ul>
          <p class="hint">
            CPU {percent(cpu)}, event loop {percent(eventLoop)}. {count(guard.gate?.running)} run, at most{' '}
            {count(Math.floor(guard.gate?.limit ?? 0))} at once.
          </p>
        </div>
        <div>
          <h3>Refused at present</h3>
          <ul class="meters">
            {shares.map(({ criticality, refusedShare }) => (
              <li key={criticality}>
                <Criticality name={criticality} />
                <Bar
                  value={refusedShare}
                  text={percent(refusedShare)}
                  tone={refusedShare > 0 ? 'warn' : 'plain'}
                />
              </li>
            ))}
          </ul>
          <p class="hint">
            {retryShare === undefined ? '' : `${percent(retryShare)} of arrivals are retries. `}
            {guard.refusedEarly > 0 ? `${count(guard.refusedEarly)} refused by their headers alone.` : ''}
          </p>
        </div>
      </div>
    </Panel>
  );
}
