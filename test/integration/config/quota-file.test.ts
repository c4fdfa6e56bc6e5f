import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { createQuota, type QuotaFile, readQuotaFile, watchQuotaFile } from '../../../src/quota/index.js';

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-quota-file-'));
const path = join(folder, 'quota.yaml');
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (text: string) => writeFileSync(path, text);

it('is what a quota is made of, and changes it while it runs', async () => {
  write('service: search\neveryoneElse: { cpu: 500 }\n');
  const problems: string[] = [];
  const heard: QuotaFile[] = [];
  const file = await watchQuotaFile(path, {
    pollMs: 86_400_000,
    settleMs: 5,
    onChange: (changed) => {
      heard.push(changed);
      quota.setLimits(changed.limits);
    },
    onProblem: ({ message }) => void problems.push(message),
  });
  closing.push(() => file.close());
  const quota = await createQuota(file.value);
  closing.push(() => quota.close());
  expect(quota).toMatchObject({ service: 'search', unit: 'cpu', enforce: 'always' });

  write('service: search\ncustomers:\n  ann: { cpu: 60/min }\neveryoneElse: { cpu: 500 }\n');
  await file.reload();
  expect(heard).toHaveLength(1);
  expect(file.value).toEqual(await readQuotaFile(path));
  expect(file.value.limits.customers).toEqual([{ customer: 'ann', perSecond: 1 }]);

  write('service: search\neveryoneElse: { cpu: much }\n');
  await file.reload();
  expect(problems).toEqual([expect.stringContaining(`${path}:2:22: everyoneElse.cpu: must be`)]);
  expect(heard).toHaveLength(1);
});

it('keeps its unit, its service and its way to enforce as long as a process runs', async () => {
  write('everyoneElse: { cpu: 500 }\n');
  const problems: string[] = [];
  const heard: QuotaFile[] = [];
  const file = await watchQuotaFile(path, {
    pollMs: 86_400_000,
    settleMs: 5,
    onChange: (changed) => void heard.push(changed),
    onProblem: ({ message }) => void problems.push(message),
  });
  closing.push(() => file.close());
  write('unit: tokens\nservice: search\nenforce: when-overloaded\neveryoneElse: { tokens: 500 }\n');
  await file.reload();
  expect(problems.join('\n').split('\n')).toEqual([
    `${path}: service: was not there when this process began: restart it`,
    `${path}: unit: was cpu when this process began: restart it`,
    `${path}: enforce: was always when this process began: restart it`,
  ]);
  expect(file.value.unit).toBe('cpu');
  expect(heard).toEqual([]);
});
