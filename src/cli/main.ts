#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { processTerminal, type Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

const HELP = `plimsoll <command>

  gateway <file>        run a gateway in front of your services
  demo                  a small fleet under load on this machine, and a page to watch it
  top <url>             what a gateway does, live in the terminal
  ratelimit-service <rules…>  answer Envoy proxies that ask whether a request may pass
  simulate <scenario>   run a built-in scenario, or a fleet of your own, and check its claims
  check <file…>         say what is wrong with files of gateways, quotas or fleets, and where
  schema <kind>         print the JSON Schema of such files, for editors

plimsoll <command> --help says more. plimsoll --version prints the version.`;

type Command = (args: string[], terminal: Terminal) => Promise<number>;

/** Loaded when asked for: help and the version are there at once. */
const COMMANDS: Record<string, Command> = {
  async gateway(args, terminal) {
    const { gateway } = await import('./gateway.js');
    return gateway(args, terminal);
  },
  async demo(args, terminal) {
    const { demo } = await import('./demo.js');
    return demo(args, terminal);
  },
  async top(args, terminal) {
    const { top } = await import('./top.js');
    return top(args, terminal);
  },
  async 'ratelimit-service'(args, terminal) {
    const { ratelimitService } = await import('./ratelimit-service.js');
    return ratelimitService(args, terminal);
  },
  async simulate(args, terminal) {
    const [{ simulate }, { SIMULATIONS }] = await Promise.all([
      import('./simulate.js'),
      import('../simulations/simulations.js'),
    ]);
    return simulate(args, terminal, SIMULATIONS);
  },
  async check(args, terminal) {
    const [{ check }, { KNOWN_FILES }] = await Promise.all([
      import('./check.js'),
      import('./known-files.js'),
    ]);
    return check(args, terminal, KNOWN_FILES);
  },
  async schema(args, terminal) {
    const [{ schema }, { KNOWN_FILES }] = await Promise.all([
      import('./schema.js'),
      import('./known-files.js'),
    ]);
    return schema(args, terminal, KNOWN_FILES);
  },
};

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

async function run([name, ...args]: string[], terminal: Terminal): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.print(HELP);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-v') {
    terminal.print(version());
    return 0;
  }
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(`there is no command "${name}".\n\n${HELP}`);
  return COMMANDS[name]!(args, terminal);
}

/** Node's own parser of arguments says what is wrong in its own errors. */
function isUsage(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

try {
  process.exitCode = await run(process.argv.slice(2), processTerminal());
} catch (error) {
  if (!isUsage(error)) throw error;
  console.error(`plimsoll: ${error.message}`);
  process.exitCode = 2;
}
