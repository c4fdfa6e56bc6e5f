import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Those that take longest, about twenty seconds each and more. Where no run has been before, vitest begins with the largest
 * files; these are small ones that wait, and the last of them would be waited for alone.
 */
const DEAREST = [
  'quota/quota-faults',
  'quota/quota',
  'demo/controls',
  'demo/summary',
  'gateway/stress/soak',
  'gateway/batch/yielding',
  'gateway/workers/lifecycle',
  'tidy/docs',
  'package',
  'quota/fleet',
  'quota/failover',
  'quota/quota-recovery',
  'rate-limit/queue-kills',
  'bench/run-all',
  'client/churn',
  'grpc/server/restart',
  'e2e/demo',
];

/** The order of a run: the dearest first, then as vitest has it. */
export class DearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const at = DEAREST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at === -1 ? DEAREST.length : at;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
