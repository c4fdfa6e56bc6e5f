/** A switch on the page, as it is now. */
export interface Control {
  readonly name: ControlName;
  readonly label: string;
  readonly kind: 'range' | 'choice' | 'toggle' | 'action';
  readonly value?: number | string | boolean;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  /** What it does and what to look at. */
  readonly sentence: string;
  /** A question to be answered before. */
  readonly confirm?: string;
  readonly group: 'load' | 'customers' | 'backends' | 'balancing' | 'guard';
}

export const CONTROL_NAMES = [
  'load',
  'cost-mix',
  'criticality-mix',
  'misbehave',
  'slow',
  'lame-duck',
  'kill',
  'restart-all',
  'policy',
  'subset',
  'guard',
] as const;

export type ControlName = (typeof CONTROL_NAMES)[number];

export function isControlName(name: string): name is ControlName {
  return (CONTROL_NAMES as readonly string[]).includes(name);
}
