import type { Connection } from '../data/event-stream.js';
import type { Live } from '../live/live.js';
import { ThemeSwitch } from '../parts/theme-switch.js';
import type { Tab } from '../route.js';

const TABS: readonly { readonly tab: Tab; readonly name: string; readonly href: string }[] = [
  { tab: 'overview', name: 'Overview', href: '#/' },
  { tab: 'simulator', name: 'Simulator', href: '#/simulator' },
];

export function TopBar({ tab, live }: { readonly tab: Tab; readonly live: Live }) {
  return (
    <header class="top">
      <div class="brand">
        <Mark />
        <h1>Plimsoll</h1>
      </div>
      <nav aria-label="Pages">
        {TABS.map(({ tab: each, name, href }) => (
          <a key={each} href={href} aria-current={each === tab ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <div class="top-end">
        <ConnectionNote connection={live.connection} />
        <ThemeSwitch />
      </div>
    </header>
  );
}

/** The mark on a ship's hull. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="10" />
      <path d="M1.5 16h29" />
    </svg>
  );
}

const NOTES: Readonly<Record<Connection['kind'], readonly [tone: string, text: string]>> = {
  connecting: ['plain', 'connecting'],
  open: ['good', 'live'],
  lost: ['bad', 'not connected'],
  token: ['warn', 'needs a token'],
};

function ConnectionNote({ connection }: { readonly connection: Connection }) {
  const [tone, text] = NOTES[connection.kind];
  return (
    <span class={`badge tone-${tone}`} title={connection.kind === 'lost' ? connection.reason : undefined}>
      <i aria-hidden="true" />
      {text}
    </span>
  );
}
