import type { Control } from '../data/demo.js';
import type { Live } from '../live/live.js';
import { Panel } from '../parts/panel.js';
import { ControlField } from './control-field.js';
import { LoadChart } from './load-chart.js';
import { Lock } from './lock.js';

const GROUPS: readonly (readonly [group: string, title: string])[] = [
  ['load', 'Load'],
  ['customers', 'Customers'],
  ['guard', 'Guard'],
  ['backends', 'Backends'],
  ['balancing', 'Balancing'],
];

/** Things to turn, and what comes of it. Drawn from what the demo says of itself; nothing when there is none. */
export function DemoPanel({ live }: { readonly live: Live }) {
  const { demo } = live.history.current ?? {};
  if (demo === undefined) return null;
  const byGroup = new Map<string, Control[]>();
  for (const control of demo.controls)
    byGroup.set(control.group, [...(byGroup.get(control.group) ?? []), control]);
  const known = GROUPS.filter(([group]) => byGroup.has(group));
  const others = [...byGroup.keys()].filter((group) => GROUPS.every(([name]) => name !== group));
  return (
    <>
      <LoadChart live={live} load={demo.load} />
      <Panel id="demo" title="Try it" span={12}>
        <Lock token={live.token}>
          {[...known, ...others.map((group) => [group, group] as const)].map(([group, title]) => (
            <Group key={group} title={title} controls={byGroup.get(group)!} token={live.token} />
          ))}
        </Lock>
      </Panel>
    </>
  );
}

interface GroupProps {
  readonly title: string;
  readonly controls: readonly Control[];
  readonly token: string | undefined;
}

function Group({ title, controls, token }: GroupProps) {
  return (
    <section class="control-group" aria-label={title}>
      <h3>{title}</h3>
      {controls.map((control) => (
        <ControlField key={control.name} control={control} token={token} />
      ))}
    </section>
  );
}
