import { ensureBuilt } from './lib/project.mjs';

ensureBuilt();
