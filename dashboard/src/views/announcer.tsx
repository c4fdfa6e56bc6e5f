import { useEffect, useState } from 'preact/hooks';
import type { Live } from '../live/live.js';
import { stateName } from '../text/tones.js';

/** Says what changes to whoever does not see the page: states and events, not numbers, which change each second. */
export function Announcer({ live }: { readonly live: Live }) {
  const { connection, history, happenings } = live;
  const state = history.current?.state ?? history.current?.guard?.state;
  const mode = history.current?.guard?.mode;
  const [text, setText] = useState('');
  useEffect(() => {
    if (connection.kind === 'lost') setText(`Connection lost: ${connection.reason}`);
    else if (state !== undefined) setText(`State: ${stateName(state)}. Guard: ${mode ?? 'none'}.`);
  }, [connection.kind, state, mode]);
  const newest = happenings[0];
  useEffect(() => {
    if (newest !== undefined) setText(newest.sentence);
  }, [newest?.id]);
  return (
    <div class="hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}
