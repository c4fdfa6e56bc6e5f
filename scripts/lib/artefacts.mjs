// What a run of the tests leaves behind for people to look at: `artefacts/`, or as `PLIMSOLL_ARTEFACTS` says.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from './project.mjs';

const folder = resolve(root, process.env.PLIMSOLL_ARTEFACTS ?? 'artefacts');

/** The part of one step, as it is told to its programs. */
export function artefactsOf(step) {
  const path = join(folder, step);
  return {
    path,
    environment: { ...process.env, PLIMSOLL_ARTEFACTS: folder },
    /** Those of an earlier run are not those of this one. */
    clear() {
      rmSync(path, { recursive: true, force: true });
    },
    /** By name, so that a log says what there is and where. */
    list() {
      const names = existsSync(path) ? readdirSync(path).sort() : [];
      console.error(`artefacts: ${names.length} in ${path}`);
      for (const name of names) console.error(`  ${name}`);
    },
  };
}
