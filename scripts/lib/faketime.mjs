// libfaketime, by which a fault gives one process another clock, from the system's packages when there is none.
import { installBy, runs } from './packages.mjs';

const INSTALLERS = [
  ['apt-get', [['update'], ['install', '--yes', '--no-install-recommends', 'faketime']]],
  ['dnf', [['install', '--assumeyes', 'libfaketime']]],
  ['apk', [['add', 'libfaketime']]],
];

/** It is a help and no must: without it the faults of clocks say that they are not possible. */
export function ensureFaketime() {
  if (!runs('faketime', '--version')) installBy(INSTALLERS, 'libfaketime');
}
