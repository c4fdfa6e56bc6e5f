import { checkPositive } from '../../core/check.js';
import type { ProcessLimits } from './cgroup.js';
import type { Reading } from './sampler.js';

/** Limits are moved by people and autoscalers: twenty small files every half minute are nothing. */
const LIMITS_MS = 30_000;

/**
 * What the process may use, looked up again now and then: Kubernetes resizes pods in place. What the user says holds
 * instead, for one of several processes that share a control group.
 */
export class Limits implements Reading, ProcessLimits {
  readonly name = 'limits';
  readonly intervalMs = LIMITS_MS;
  readonly #find: () => ProcessLimits;
  readonly #own: { readonly processors: number | undefined; readonly memoryBytes: number | undefined };
  #found: ProcessLimits = { processors: 1, memoryBytes: Number.POSITIVE_INFINITY };

  constructor(find: () => ProcessLimits, processors?: number, memoryBytes?: number) {
    this.#find = find;
    if (processors !== undefined) checkPositive('signals.cpu.processors', processors);
    if (memoryBytes !== undefined) checkPositive('signals.memory.limitBytes', memoryBytes);
    this.#own = { processors, memoryBytes };
  }

  get processors(): number {
    return this.#own.processors ?? this.#found.processors;
  }

  get memoryBytes(): number {
    return this.#own.memoryBytes ?? this.#found.memoryBytes;
  }

  read(): void {
    this.#found = this.#find();
  }
}
