import type { Fleet } from '../fleet/index.js';
import type { Violations } from './violations.js';
import type { Watch } from './watch.js';

/** In steps of this, for no longer than that: all the work that a fleet can have piled up is done by then. */
const STEP_MS = 5_000;
const LONGEST_MS = 600_000;

/** Until nothing is worked on any more: what nobody waits for is run to its end as well. */
export function drain({ kernel, services }: Fleet): void {
  const untilMs = kernel.now + LONGEST_MS;
  const isIdle = () =>
    services.every(({ backends }) =>
      backends.every(
        ({ process, machine, lifecycle }) =>
          process.activeCount === 0 && machine.processor.active === 0 && lifecycle.stage === 'up',
      ),
    );
  do kernel.runUntil(kernel.now + STEP_MS);
  while (!isIdle() && kernel.now < untilMs);
}

/** When all traffic has ended and all work is done: every request has an end, and everything was given back. */
export function checkAftermath(fleet: Fleet, watch: Watch, violations: Violations): void {
  for (const { pending, group } of fleet.clients) {
    violations.unless(pending === 0, 'no request lost or answered twice', () => {
      return `a client of ${group.name} has ${pending} requests pending`;
    });
  }
  for (const { name, traffic } of fleet.groups) {
    const { offered, ended } = traffic.all;
    violations.unless(offered === ended, 'no request lost or answered twice', () => {
      return `${name} made ${offered} requests, ${ended} have ended`;
    });
  }
  for (const { backends } of fleet.services) {
    for (const { key, process, machine, lifecycle, connection } of backends) {
      const { guard, activeCount } = process;
      const left = [
        activeCount,
        guard.gate.inFlight,
        guard.gate.waiting,
        guard.limiter.inFlight,
        machine.processor.active,
      ];
      violations.unless(
        left.every((count) => count === 0),
        'permits neither lost nor made up',
        () => `${key} still has: held, in flight, waiting, running, at work = ${left.join(', ')}`,
      );
      violations.unless(lifecycle.stage === 'up' && connection === 'ready', 'everything recovers', () => {
        return `${key} is ${lifecycle.stage}, and to clients ${connection}`;
      });
    }
  }
  for (const link of watch.links()) {
    violations.unless(
      link.activeCount === 0 && link.waitingCount === 0,
      'permits neither lost nor made up',
      () => {
        return `at ${link.service.name} ${link.activeCount} requests are still active, ${link.waitingCount} wait`;
      },
    );
    for (const { key, connection } of link.roster.members()) {
      const isKnown = connection === link.service.backend(key).connection;
      violations.unless(
        isKnown,
        'everything recovers',
        () => `${key} is ready, and to a client ${connection}`,
      );
    }
  }
  watch.finish();
}
