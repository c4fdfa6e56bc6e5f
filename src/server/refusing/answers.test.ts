import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../core/index.js';
import { Answers } from './answers.js';

const SHED: Refusal = { reason: 'utilization', answer: 'task-overloaded' };

function make(isBackendLeaving = true) {
  let inFlight = 0;
  const answers = new Answers(
    () => ({ inFlight: ++inFlight }),
    () => isBackendLeaving,
  );
  answers.refresh(0);
  return answers;
}

describe('answers', () => {
  it('tell trusted peers the load, and strangers nothing', () => {
    const answers = make();
    expect(answers.linesFor(true)).toBe('endpoint-load-metrics: TEXT named_metrics.rif=1\r\n');
    expect(answers.linesFor(false)).toBe('');
    expect(answers.headersFor(true)).toEqual([['endpoint-load-metrics', 'TEXT named_metrics.rif=1']]);
    expect(answers.headersFor(false)).toEqual([]);
    expect(answers.refusal(SHED, false, false, false).toString()).not.toContain('endpoint-load-metrics');
  });

  it('are made anew after 10 ms, and not before', () => {
    const answers = make();
    const bytes = answers.refusal(SHED, false, false, true);
    answers.refresh(9);
    expect(answers.refusal(SHED, false, false, true)).toBe(bytes);
    answers.refresh(10);
    expect(answers.refusal(SHED, false, false, true)).not.toBe(bytes);
    expect(answers.refusal(SHED, false, false, true).toString()).toContain('rif=2');
  });

  it('say at once that it is a lame duck, and close', () => {
    const answers = make();
    answers.refusal(SHED, false, false, true);
    answers.isLameDuck = true;
    answers.refresh(1);
    expect(answers.linesFor(false)).toBe('x-envoy-immediate-health-check-fail: true\r\n');
    expect(answers.headersFor(false)).toContainEqual(['connection', 'close']);
    const text = answers.refusal(SHED, true, false, true).toString();
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    expect(text).toContain('x-envoy-immediate-health-check-fail: true\r\nconnection: close\r\n');
  });

  it('of a worker that leaves alone close, and do not say that its backend fails', () => {
    const answers = make(false);
    answers.isLameDuck = true;
    answers.refresh(1);
    expect(answers.linesFor(false)).toBe('');
    expect(answers.headersFor(false)).toEqual([['connection', 'close']]);
    const text = answers.refusal(SHED, true, false, false).toString();
    expect(text).not.toContain('health-check-fail');
    expect(text).toContain('connection: close\r\n');
  });

  it('keep forms apart', () => {
    const answers = make();
    const forms = [false, true].flatMap((closing) =>
      [false, true].map((head) => answers.refusal(SHED, closing, head, true).toString()),
    );
    expect(new Set(forms).size).toBe(4);
    expect(forms[1]).toMatch(/connection: keep-alive\r\n\r\n$/);
    expect(forms[2]).toMatch(/connection: close\r\n\r\n\{/);
    expect(answers.refusal({ reason: 'quota', answer: 'limited' }, false, false, true).toString()).toMatch(
      /^HTTP\/1\.1 429 /,
    );
  });
});
