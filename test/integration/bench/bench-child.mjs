// A bench as its orchestrator sees it: `node bench-child.mjs <how> <file> <result as JSON>`.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const [how, file, result] = process.argv.slice(2);

function write(more = {}) {
  mkdirSync(dirname(file), { recursive: true });
  const text = JSON.stringify({ ...JSON.parse(result), started: new Date().toISOString(), ...more });
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

if (how === 'works') write();
if (how === 'fails') {
  write({ failure: 'nginx missing' });
  process.exitCode = 2;
}
if (how === 'lingers') {
  write({ failure: 'a gateway did not start' });
  setInterval(() => {}, 1_000);
}
// Once: what breaks in passing.
if (how === 'breaks once') {
  const mark = `${file}.tried`;
  if (existsSync(mark)) write();
  else {
    mkdirSync(dirname(mark), { recursive: true });
    writeFileSync(mark, '');
    process.exitCode = 3;
  }
}
if (how === 'breaks') process.kill(process.pid, 'SIGKILL');
if (how === 'hangs') {
  // And so does what it has started.
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.pid`, String(child.pid));
  setInterval(() => {}, 1_000);
}
