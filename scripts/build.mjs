import { ensureBuilt, main } from './lib/project.mjs';

main(ensureBuilt);
