import { useEffect, useRef, useState } from 'preact/hooks';
import { formatDuration } from '../../../src/simulations/report/duration.js';
import { formatCompact } from '../../../src/simulations/report/numbers.js';
import type { Desk } from './desk.js';
import { offsetOf } from './place.js';
import { Problems } from './problems.js';
import type { Answer } from './protocol.js';
import { MOST_TEXT } from './share.js';

/** So long after the last key it is read: nobody wants to be told that half a word is wrong. */
const READ_AFTER_MS = 400;

interface Props {
  readonly text: string;
  readonly desk: Desk;
  /** How often the fleet is run: once for each policy. */
  readonly runs: number;
  readonly onChange: (text: string) => void;
}

/** A fleet as YAML, and what is wrong with it, while it is written. */
export function FleetEditor({ text, desk, runs, onChange }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const verdict = useVerdict(text, desk);
  const refused = verdict?.kind === 'refused' ? verdict : undefined;
  const goTo = (line: number, column: number) => {
    const at = offsetOf(text, line, column);
    area.current?.focus();
    area.current?.setSelectionRange(at, at);
  };
  return (
    <div class="sim-field">
      <label for="sim-fleet">Fleet, as YAML</label>
      <textarea
        id="sim-fleet"
        ref={area}
        class="sim-input sim-yaml"
        rows={22}
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        maxLength={MOST_TEXT}
        aria-invalid={refused !== undefined}
        aria-describedby="sim-verdict"
        value={text}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <div id="sim-verdict" role="status">
        {refused !== undefined && <Problems refusal={refused} onGoTo={goTo} />}
        <p class="hint">{wordsFor(verdict, runs)}</p>
      </div>
    </div>
  );
}

function useVerdict(text: string, desk: Desk): Answer | undefined {
  const [verdict, setVerdict] = useState<Answer>();
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const answer = await desk.ask({ kind: 'check', text });
      if (isCurrent) setVerdict(answer);
    }, READ_AFTER_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, desk]);
  return verdict;
}

function wordsFor(verdict: Answer | undefined, runs: number): string {
  if (verdict?.kind === 'failed') return verdict.text;
  if (verdict?.kind !== 'checked') return '';
  const { requests, seconds } = verdict.effort;
  return `About ${formatCompact(requests * runs)} requests: some ${formatDuration(seconds * runs * 1_000)}.`;
}
