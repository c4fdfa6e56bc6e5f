import { readFileSync } from 'node:fs';

/** The example that shows everything: `examples/gateway/plimsoll.yaml`. */
export const FULL_EXAMPLE = readFileSync(
  new URL('../../../examples/gateway/plimsoll.yaml', import.meta.url),
  'utf8',
);
