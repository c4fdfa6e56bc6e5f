import type { PrimarySnapshot } from './primary.js';

const NAME = 'plimsoll_gateway_reloads_total';

/**
 * What a primary counts itself, as the text of a worker's metrics. A file that cannot be read comes to no worker: theirs
 * alone would say that all is well.
 */
export function primaryMetrics({ reloads, failedReloads }: PrimarySnapshot): string {
  return `# HELP ${NAME} Settings that came to hold, and those that did not
# TYPE ${NAME} counter
${NAME}{outcome="ok"} ${reloads}
${NAME}{outcome="failed"} ${failedReloads}
`;
}
