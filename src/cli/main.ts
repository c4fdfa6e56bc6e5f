#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { simulate } from './simulate.js';
import { UsageError } from './usage-error.js';

const HELP = `plimsoll <command>

  simulate <scenario>   run a built-in scenario and check its claims

plimsoll <command> --help says more. plimsoll --version prints the version.`;

type Command = (args: string[], print: (text: string) => void) => number;

const COMMANDS: Record<string, Command> = { simulate };

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

function run([name, ...args]: string[]): number {
  const print = (text: string) => console.log(text);
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    print(HELP);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-v') {
    print(version());
    return 0;
  }
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(`there is no command "${name}".\n\n${HELP}`);
  return COMMANDS[name]!(args, print);
}

/** Node's own parser of arguments says what is wrong in its own errors. */
function isUsage(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

try {
  process.exitCode = run(process.argv.slice(2));
} catch (error) {
  if (!isUsage(error)) throw error;
  console.error(`plimsoll: ${error.message}`);
  process.exitCode = 2;
}
