import { stateName, stateTone } from '../text/tones.js';

/** A state by its name and its colour: neither alone. */
export function StateBadge({ state }: { readonly state: string }) {
  return (
    <span class={`badge tone-${stateTone(state)}`}>
      <i aria-hidden="true" />
      {stateName(state)}
    </span>
  );
}

export function Criticality({ name }: { readonly name: string | undefined }) {
  if (name === undefined) return <span>–</span>;
  return (
    <span class="criticality">
      <i class={`swatch c-${name.toLowerCase().replaceAll('_', '-')}`} aria-hidden="true" />
      {name}
    </span>
  );
}
