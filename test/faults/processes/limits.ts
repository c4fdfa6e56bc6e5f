// Limits in memory, in a process whose wall clock is not that of others.
import { type AlgorithmName, createLimiter, type Limiter } from 'plimsoll/rate-limit';
import { answerQuestions } from '../../../bench/overload/questions.js';
import { Takers } from '../tools/takers.js';

interface TakeOptions {
  readonly algorithms: readonly AlgorithmName[];
  readonly limit: number;
  readonly windowMs: number;
  readonly ms: number;
}

const limiters = new Map<string, Limiter>();

answerQuestions({
  /** The same limits each time: what they know has to outlive a step. */
  take: async ({ algorithms, limit, windowMs, ms }: TakeOptions) => {
    for (const algorithm of algorithms)
      if (!limiters.has(algorithm)) limiters.set(algorithm, createLimiter({ algorithm, limit, windowMs }));
    const taken = await new Takers([...limiters]).during(ms);
    return { ...taken, wallMs: Date.now() };
  },
});
