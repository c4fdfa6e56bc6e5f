import type { ComponentChildren } from 'preact';

interface PanelProps {
  readonly id: string;
  readonly title: string;
  /** A few words beside the title. */
  readonly note?: ComponentChildren;
  /** How many of the twelve columns it takes on a wide screen. */
  readonly span: 3 | 4 | 5 | 6 | 7 | 8 | 9 | 12;
  readonly children: ComponentChildren;
}

export function Panel({ id, title, note, span, children }: PanelProps) {
  return (
    <section class={`panel span-${span}`} aria-labelledby={`${id}-title`} id={id}>
      <div class="panel-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {note === undefined ? undefined : <div class="panel-note">{note}</div>}
      </div>
      {children}
    </section>
  );
}
