import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parsePrometheus } from '../../../../src/gateway/admin/prometheus-text.contract.js';
import { until } from '../../client/until.js';
import { installPackage } from '../../install-package.js';
import { askAdmin } from './ask-admin.js';

/** The package as a user gets it, where nobody has installed OpenTelemetry's SDK. */
let project: string;
const packageFile = (...path: string[]) => join(project, 'node_modules', 'plimsoll', ...path);

beforeAll(() => {
  project = installPackage();
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

it('has metrics without the SDK', async () => {
  expect(existsSync(join(project, 'node_modules/@opentelemetry/sdk-metrics'))).toBe(false);
  const file = join(project, 'plimsoll.yaml');
  writeFileSync(
    file,
    'listen: 127.0.0.1:0\nroutes: [{ to: "http://127.0.0.1:1" }]\nadmin: { address: "127.0.0.1:0" }\nlog: { level: "off" }\n',
  );
  const child = spawn(process.execPath, [packageFile('dist/cli/main.js'), 'gateway', file], { cwd: project });
  const exited = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  try {
    await until('a gateway', () => said.includes(' holds: ') || child.exitCode !== null, 30_000);
    const port = Number(/admin listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]);
    const answer = await askAdmin(port, '/metrics');
    expect(answer.status).toBe(200);
    expect(parsePrometheus(answer.text).has('plimsoll_gateway_ready')).toBe(true);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
});

it('comes with the licences, and is small', () => {
  const licences = packageFile('dist/gateway/admin/third-party/@opentelemetry');
  const notices = readFileSync(packageFile('THIRD-PARTY-NOTICES.md'), 'utf8');
  expect(readdirSync(licences)).toContain('sdk-metrics');
  for (const name of readdirSync(licences)) {
    expect(notices).toContain(`@opentelemetry/${name}`);
    expect(readFileSync(join(licences, name, 'LICENSE'), 'utf8')).toContain('Apache License');
  }
  // 154 kB; the packages have 20 MB.
  expect(statSync(packageFile('dist/gateway/admin/prometheus.js')).size).toBeLessThan(200_000);
});
