import { parseArgs } from 'node:util';
import { UsageError } from './usage-error.js';

export const GATEWAY_HELP = `plimsoll gateway <file> [options]

Runs a gateway in front of your services, as a file of YAML says. Three lines are enough:

  listen: 8080
  routes:
    - to: http://127.0.0.1:3000

  --check           look at the file, and at those that it names, and end
  --print-config    print all that holds, with what was not said filled in, and end; secrets are shown as ***
  --workers N       processes that serve, whatever the file says

The file is followed as it changes, and read again on SIGHUP, certificates too: a file that is wrong changes nothing.
SIGTERM ends the gateway when all requests are done, a second one at once. With several workers SIGUSR2 replaces them, one
by one, without losing a request. plimsoll schema gateway is for editors.

The exit code is 2 when the gateway cannot start.`;

export interface GatewayArgs {
  readonly file: string;
  readonly action: 'run' | 'check' | 'print';
  readonly workers: number | undefined;
}

/** Undefined: somebody wants help. */
export function parseGatewayArgs(args: string[]): GatewayArgs | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      check: { type: 'boolean' },
      'print-config': { type: 'boolean' },
      workers: { type: 'string' },
    },
  });
  if (values.help) return undefined;
  const [file] = positionals;
  if (file === undefined) throw new UsageError(`gateway needs a file.\n\n${GATEWAY_HELP}`);
  if (positionals.length > 1)
    throw new UsageError(`gateway takes one file, got ${positionals.join(' and ')}`);
  if (values.check && values['print-config'])
    throw new UsageError('--check and --print-config do not go together');
  const action = values.check ? 'check' : values['print-config'] ? 'print' : 'run';
  return { file, action, workers: workersOf(values.workers) };
}

function workersOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const workers = Number(text);
  if (/^\d{1,3}$/.test(text) && workers >= 1 && workers <= 256) return workers;
  throw new UsageError(`--workers must be a whole number from 1 to 256, got ${JSON.stringify(text)}`);
}
