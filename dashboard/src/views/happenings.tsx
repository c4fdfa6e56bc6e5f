import { limitRows } from '../data/limit-rows.js';
import type { Live } from '../live/live.js';
import { Panel } from '../parts/panel.js';
import { timeOfDay } from '../text/format.js';

const MOST = 40;

/** What has happened, newest first: the same as the marks on the charts. */
export function Happenings({ live }: { readonly live: Live }) {
  const { happenings } = live;
  return (
    <Panel id="events" title="Events" span={isEven(live) ? 6 : 12} note="marks on the charts">
      {happenings.length === 0 ? (
        <p class="empty">Nothing has happened since this page is open.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard (WCAG 2.1.1).
        <section class="happenings" tabIndex={0} aria-label="Events">
          <ol>
            {happenings.slice(0, MOST).map(({ id, atMs, tone, sentence }) => (
              <li key={id} class={`tone-${tone}`}>
                <i aria-hidden="true" />
                <time class="num" dateTime={new Date(atMs).toISOString()}>
                  {timeOfDay(atMs)}
                </time>
                <span>{sentence}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
    </Panel>
  );
}

/** Whether panels of half the width before this one leave room beside it. */
function isEven({ history }: Live): boolean {
  const { queue, routes = {} } = history.current ?? {};
  const batches = Object.values(routes).some(({ batch }) => batch !== undefined && batch !== null);
  const halves = [limitRows(history).length > 0, queue !== undefined && queue !== null, batches];
  return halves.filter(Boolean).length % 2 === 1;
}
