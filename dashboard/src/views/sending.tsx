import type { ServicePart } from '../data/snapshot.js';
import { Bar } from '../parts/bar.js';
import { Panel } from '../parts/panel.js';
import { Table } from '../parts/table.js';
import { count, percent } from '../text/format.js';
import { reasonName } from '../text/reasons.js';

interface SendingProps {
  readonly name: string;
  readonly service: ServicePart;
}

/** Attempts, the budget for further ones, and what is not sent at all. */
export function Sending({ name, service }: SendingProps) {
  const { counts, retryBudget, throttle, localities } = service;
  const [first = 0] = counts.attempts;
  const throttled = throttle
    .filter(({ probability }) => probability > 0.0005)
    .sort((a, b) => b.probability - a.probability);
  const rejected = Object.entries(counts.rejected).filter(([, refused]) => refused > 0);
  return (
    <Panel id={`sending-${name}`} title={`Retries and throttle`} span={3} note={name}>
      <h3>Attempts since the start</h3>
      <ol class="attempts">
        {counts.attempts.map((attempts, i) => (
          <li key={i}>
            <span>{ordinal(i + 1)}</span>
            <Bar
              value={attempts}
              full={Math.max(1, first)}
              text={count(attempts)}
              tone={i === 0 ? 'good' : 'warn'}
            />
          </li>
        ))}
        {counts.attempts.length === 0 ? <li class="empty">none yet</li> : undefined}
      </ol>
      <h3>Retry budget</h3>
      <p>
        <b class="num">{count(Math.floor(retryBudget.remaining))}</b> left,{' '}
        <b class="num">{count(retryBudget.retries)}</b> used of{' '}
        <b class="num">{count(retryBudget.requests)}</b> requests.
      </p>
      <h3>Throttle</h3>
      {throttled.length === 0 ? (
        <p>Everything is sent: backends accept it.</p>
      ) : (
        <Table
          caption={`Throttle of ${name}`}
          columns={[
            { head: 'Customer', cell: ({ customer }) => customer || 'anyone' },
            { head: 'Criticality', cell: ({ criticality }) => criticality },
            { head: 'Withheld', kind: 'number', cell: ({ probability }) => percent(probability) },
          ]}
          rows={throttled.slice(0, 6)}
          keyOf={({ customer, criticality }) => `${customer} ${criticality}`}
          empty=""
        />
      )}
      {rejected.length === 0 ? undefined : (
        <>
          <h3>Not sent, since the start</h3>
          <p>{rejected.map(([code, refused]) => `${reasonName(code)} ${count(refused)}`).join(' · ')}</p>
        </>
      )}
      {localities === undefined ? undefined : (
        <>
          <h3>Localities</h3>
          <Table
            caption={`Localities of ${name}`}
            columns={[
              { head: 'Locality', cell: (each) => each.name },
              { head: 'Share', kind: 'number', cell: ({ share }) => percent(share) },
              { head: 'Healthy', kind: 'number', cell: ({ healthy, total }) => `${healthy} of ${total}` },
              { head: 'Sent', kind: 'number', cell: ({ sentPerSecond }) => `${count(sentPerSecond)}/s` },
            ]}
            rows={localities.localities}
            keyOf={(each) => each.name}
            empty="No locality is known."
          />
          <p>{spillText(localities)}</p>
        </>
      )}
    </Panel>
  );
}

/** The first locality is the near one: what the others get is spilled over. */
function spillText({ localities, refusedShare }: NonNullable<ServicePart['localities']>): string {
  const spilled = localities.slice(1).reduce((sum, { share }) => sum + share, 0);
  const refused = refusedShare > 0 ? ` No locality has room for ${percent(refusedShare)}.` : '';
  return `${spilled > 0.0005 ? `${percent(spilled)} spills over from ${localities[0]!.name}.` : 'Nothing spills over.'}${refused}`;
}

function ordinal(attempt: number): string {
  return ['1st', '2nd', '3rd'][attempt - 1] ?? `${attempt}th`;
}
