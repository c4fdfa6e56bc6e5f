import { BACKEND_NAMES } from '../fleet/fleet.js';
import { type Choices, NONE } from './choices.js';
import type { Control } from './control.js';
import { LOAD_RANGE } from './load-range.js';

type Option = { readonly value: string; readonly label: string };

const named = (labels: Readonly<Record<string, string>>): Option[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

const backendOr = (none: string): Option[] => [
  { value: NONE, label: none },
  ...BACKEND_NAMES.map((name) => ({ value: name, label: name })),
];

/** What is not chosen for good, but happens. */
export interface Happening {
  /** Those that are down: killed, and not back yet. */
  readonly down: readonly string[];
  readonly isRestarting: boolean;
}

/** All controls as they are now. */
export function controlsOf(choices: Choices, { down, isRestarting }: Happening): Control[] {
  return [
    {
      name: 'load',
      label: 'Load',
      kind: 'range',
      value: choices.load,
      min: LOAD_RANGE.min,
      max: LOAD_RANGE.max,
      step: LOAD_RANGE.step,
      sentence:
        'How many times what the fleet can serve is asked of it: goodput should stay level beyond 1×, while refusals take the excess, the least critical first.',
      group: 'load',
    },
    {
      name: 'cost-mix',
      label: 'Cost of requests',
      kind: 'choice',
      value: choices.costMix,
      options: named({ even: 'all alike', mixed: 'mixed', 'heavy-tail': 'heavy tail' }),
      sentence:
        'How much work differs from request to request, at the same mean: with a heavy tail compare how p99 and the spread of utilization do under each policy.',
      group: 'load',
    },
    {
      name: 'criticality-mix',
      label: 'Criticality',
      kind: 'choice',
      value: choices.criticalityMix,
      options: named({
        usual: 'usual',
        'mostly-critical': 'mostly critical',
        'mostly-batch': 'mostly batch',
      }),
      sentence:
        'How critical requests are: whatever the mix, CRITICAL_PLUS is served in full, and what is refused is refused from the bottom.',
      group: 'load',
    },
    {
      name: 'misbehave',
      label: 'Customer B misbehaves',
      kind: 'toggle',
      value: choices.isMisbehaving,
      sentence:
        'Customer B sends ten times as much: it is held to its quota with 429, and A and C are served as before.',
      group: 'customers',
    },
    {
      name: 'slow',
      label: 'Slow backend',
      kind: 'choice',
      value: choices.slow,
      options: backendOr('none'),
      sentence:
        'This backend takes four times as long: its weight and share go down, and the others take over.',
      group: 'backends',
    },
    {
      name: 'lame-duck',
      label: 'Lame duck',
      kind: 'choice',
      value: choices.lameDuck,
      options: backendOr('none'),
      sentence:
        'This backend serves on and asks for no more: the gateway hears of it at once, its share goes to 0, and no request fails; with another choice a new process takes its place.',
      confirm:
        'Change the lame duck? Who is chosen gets no more requests, and there is no way back: with another choice a new process takes its place.',
      group: 'backends',
    },
    {
      name: 'kill',
      label: 'Kill',
      kind: 'choice',
      value: down[0] ?? NONE,
      options: backendOr('nobody'),
      sentence:
        'SIGKILL, as when a machine loses its power: what was under way there is sent again elsewhere, and it is back after 5 seconds.',
      confirm: 'Kill this backend? It comes back by itself after 5 seconds.',
      group: 'backends',
    },
    {
      name: 'restart-all',
      label: isRestarting ? 'Restarting …' : 'Restart all, one by one',
      kind: 'action',
      value: isRestarting,
      sentence:
        'SIGTERM to each backend in turn, as a deployment does it: each drains and comes back, and no request fails.',
      confirm: 'Restart all six backends, one by one?',
      group: 'backends',
    },
    {
      name: 'policy',
      label: 'Policy',
      kind: 'choice',
      value: choices.policy,
      options: named({
        'round-robin': 'round robin',
        'least-loaded': 'least loaded',
        weighted: 'weighted',
        prequal: 'Prequal',
      }),
      sentence:
        'How the gateway chooses a backend, changed by a reload under load: round robin gives the slowest as much as the fastest, the others by what they can do.',
      group: 'balancing',
    },
    {
      name: 'subset',
      label: 'Subset size',
      kind: 'choice',
      value: String(choices.subset),
      options: BACKEND_NAMES.slice(1).map((_, at) => ({ value: String(at + 2), label: String(at + 2) })),
      sentence:
        'How many of the six backends this gateway keeps connections to: the others are left to other clients.',
      group: 'balancing',
    },
    {
      name: 'guard',
      label: 'Guard',
      kind: 'toggle',
      value: choices.isGuarded,
      sentence:
        'Off, nobody refuses anything or keeps a deadline: above 1× queues grow until every answer comes too late, and goodput falls to next to nothing while all processors are busy.',
      confirm: 'Switch all guards? Off and above 1× the fleet collapses; on again its backends begin anew.',
      group: 'guard',
    },
  ];
}
