import type { Attempt } from '../fleet/attempt.js';
import type { BackendProcess } from '../fleet/backend-process.js';
import type { Fleet } from '../fleet/index.js';
import type { RequestEnd, SimulatedRequest } from '../fleet/request.js';
import type { ServiceLink } from '../fleet/service-link.js';
import type { SimulatedBackend } from '../fleet/simulated-backend.js';
import { Event } from '../kernel/event.js';
import { BudgetBook } from './budget-book.js';
import { OwedBook } from './owed-book.js';
import type { Violations } from './violations.js';

/** Often enough that what goes wrong is seen near its cause. */
const EVERY_MS = 100;

/** For comparisons of instants that went through two clocks. */
const ROUNDING_MS = 1e-6;

/** Looks at a fleet while it runs, at what happens and at everything that is counted, and finds what must not be. */
export class Watch extends Event {
  readonly #fleet: Fleet;
  readonly #violations: Violations;
  /** All that ever were: one that has exited still has to let go of what it had. */
  readonly processes = new Set<BackendProcess>();
  readonly #budgets: readonly BudgetBook[];
  readonly #throttles: readonly OwedBook[];
  readonly #quotas = new Map<BackendProcess, OwedBook>();
  /** How often each link sends a request at the most, as the fleet was told. */
  readonly #maxAttempts = new Map<ServiceLink, number>();
  /** How often a request came to a backend, and with which attempt last. */
  readonly #arrivals = new WeakMap<SimulatedRequest, { count: number; attempt: Attempt }>();

  constructor(fleet: Fleet, violations: Violations) {
    super();
    this.#fleet = fleet;
    this.#violations = violations;
    this.#budgets = fleet.clients.flatMap(({ door, group }) =>
      door.links.map((link) => new BudgetBook(link, group.spec.retry.budget)),
    );
    const links = fleet.clients.flatMap(({ door }) => door.links);
    for (const { door, group } of fleet.clients) {
      for (const link of door.links) this.#maxAttempts.set(link, group.spec.retry.maxAttempts);
    }
    this.#throttles = links.map(({ caller }) => OwedBook.ofThrottle(caller.parts.throttle));
    this.#meetProcesses();
    for (const { backends } of fleet.services) for (const backend of backends) this.#listen(backend);
    for (const { traffic } of fleet.groups) {
      const onEnd = traffic.onEnd.bind(traffic);
      traffic.onEnd = (request, end, now) => {
        this.#onEnd(request, end, now);
        onEnd(request, end, now);
      };
    }
    fleet.kernel.after(EVERY_MS, this);
  }

  happen(): void {
    this.#meetProcesses();
    for (const process of this.processes) this.#lookAtProcess(process);
    for (const link of this.links()) this.#lookAtLink(link);
    for (const client of this.#fleet.clients) {
      this.#violations.unless(client.pending >= 0, 'no request lost or answered twice', () => {
        return `a client of ${client.group.name} has ${client.pending} requests pending`;
      });
    }
    this.#fleet.kernel.after(EVERY_MS, this);
  }

  /** Of clients, and of all processes that ever were. */
  *links(): Iterable<ServiceLink> {
    for (const { door } of this.#fleet.clients) yield* door.links;
    for (const { calls } of this.processes) yield* calls;
  }

  /** Everything has ended. */
  finish(): void {
    for (const budget of this.#budgets) budget.check(this.#violations);
    for (const throttle of this.#throttles) throttle.check(this.#violations);
    for (const [process, quota] of this.#quotas) {
      // One that has exited has settled nothing any more.
      if (process === process.backend.process) quota.check(this.#violations);
    }
  }

  /** New ones as well: they start for longer than it takes until they are seen, and let nothing in before. */
  #meetProcesses(): void {
    for (const { backends } of this.#fleet.services) {
      for (const { process } of backends) {
        if (this.processes.has(process)) continue;
        this.processes.add(process);
        for (const [at, link] of process.calls.entries()) {
          this.#maxAttempts.set(link, process.backend.service.spec.calls[at]!.retry.maxAttempts);
        }
        const { quota } = process.guard;
        if (quota !== undefined) this.#quotas.set(process, OwedBook.ofQuota(quota));
      }
    }
  }

  #listen({ tally, key }: SimulatedBackend): void {
    const onArrival = tally.onArrival.bind(tally);
    tally.onArrival = (attempt) => {
      this.#onArrival(attempt, key);
      onArrival(attempt);
    };
    const onFinished = tally.onFinished.bind(tally);
    tally.onFinished = (attempt, outcome) => {
      const { ticket, deadlineMs } = attempt;
      this.#violations.unless(ticket!.startedMs < deadlineMs, 'no decision on expired data', () => {
        return `${key} began at ${ticket!.startedMs} what nobody waited for after ${deadlineMs}, by its own clock`;
      });
      onFinished(attempt, outcome);
    };
  }

  #onArrival(attempt: Attempt, key: string): void {
    const { request } = attempt;
    const maxAttempts = this.#maxAttempts.get(request.link!)!;
    const before = this.#arrivals.get(request);
    const count = (before?.count ?? 0) + 1;
    this.#arrivals.set(request, { count, attempt });
    const isRight = attempt.attempt <= maxAttempts && count <= attempt.attempt;
    this.#violations.unless(isRight, 'attempts within their bound', () => {
      return `attempt ${attempt.attempt} of at most ${maxAttempts} came to ${key}, the ${count}. that came anywhere`;
    });
    const hasBegun = (before?.attempt.ticket?.startedMs ?? 0) > 0;
    this.#violations.unless(request.isIdempotent || !hasBegun, 'nothing done twice that must not be', () => {
      return `${before!.attempt.backend.key} had begun with it, and it was sent again, to ${key}`;
    });
  }

  #onEnd(request: SimulatedRequest, end: RequestEnd, now: number): void {
    if ((end !== 'served' && end !== 'degraded') || request.link === undefined) return;
    const local = request.link.process.clock.toLocal(now);
    this.#violations.unless(local <= request.deadlineMs + ROUNDING_MS, 'no decision on expired data', () => {
      return `a request was ${end} ${local - request.deadlineMs} ms after its deadline`;
    });
  }

  #lookAtProcess(process: BackendProcess): void {
    const { guard, activeCount, backend } = process;
    const { inFlight, waiting } = guard.gate;
    const running = guard.limiter.inFlight;
    // One that has exited has forgotten what it had, and its gate with it.
    if (process !== backend.process || backend.lifecycle.stage === 'down') return;
    const isRight = running >= 0 && waiting >= 0 && inFlight === running + waiting && activeCount >= inFlight;
    this.#violations.unless(isRight, 'permits neither lost nor made up', () => {
      return `${backend.key} holds ${activeCount}: ${inFlight} let in, ${running} running, ${waiting} waiting`;
    });
  }

  #lookAtLink(link: ServiceLink): void {
    const { activeLimit } = link.roster;
    for (const { key, active } of link.roster.members()) {
      this.#violations.unless(
        active >= 0 && active <= activeLimit,
        'active requests within their limit',
        () => {
          return `${active} requests are active at ${key}, the limit is ${activeLimit}`;
        },
      );
    }
  }
}
