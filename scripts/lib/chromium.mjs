// A Chromium for tests of the page, from the system's packages when there is none. Nothing is started: tests do that.
import { installBy, runs } from './packages.mjs';

const PROGRAM = process.env.PLIMSOLL_CHROMIUM ?? '/usr/bin/chromium';

const INSTALLERS = [
  ['apt-get', [['update'], ['install', '--yes', '--no-install-recommends', 'chromium']]],
  ['dnf', [['install', '--assumeyes', 'chromium']]],
  ['apk', [['add', 'chromium']]],
];

/** 0 when there is one, else an exit code. */
export function ensureChromium() {
  if (runs(PROGRAM, '--version')) return 0;
  if (process.env.PLIMSOLL_CHROMIUM === undefined) installBy(INSTALLERS, 'chromium');
  if (runs(PROGRAM, '--version')) return 0;
  console.error(`plimsoll: ${PROGRAM} is missing. Install Chromium or Chrome, and name its program:`);
  console.error('  PLIMSOLL_CHROMIUM=/path/to/chrome npm test');
  return 1;
}
