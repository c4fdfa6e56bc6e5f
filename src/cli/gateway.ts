import { dirname } from 'node:path';
import { readSettingsFile, SettingsError, SettingsFile } from '../config/index.js';
import {
  checkFiles,
  createGateway,
  type Gateway,
  type GatewaySettings,
  gatewaySchema,
  ListenError,
  type ListeningAt,
  printSettings,
} from '../gateway/index.js';
import { onSignals } from '../server/lifecycle/signals.js';
import { describeGateway } from './describe-gateway.js';
import { GATEWAY_HELP, type GatewayArgs, parseGatewayArgs } from './gateway-args.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** Returns the exit code; of a gateway that runs, never. */
export async function gateway(args: string[], terminal: Terminal): Promise<number> {
  const given = parseGatewayArgs(args);
  if (given === undefined) {
    terminal.print(GATEWAY_HELP);
    return 0;
  }
  try {
    return await act(given, terminal);
  } catch (error) {
    throw isExpected(error) ? new UsageError(error.message) : error;
  }
}

async function act({ file, action, workers }: GatewayArgs, terminal: Terminal): Promise<number> {
  if (action === 'run') return await run(file, workers, terminal);
  const settings = await readSettingsFile(file, gatewaySchema, { environment: process.env });
  if (action === 'print') terminal.print(printSettings(settings).trimEnd());
  else {
    await checkFiles(settings, dirname(file));
    terminal.print(`${file}: a gateway file that is right: ${describeGateway(settings)}`);
  }
  return 0;
}

async function run(path: string, workers: number | undefined, terminal: Terminal): Promise<number> {
  const onProblem = ({ message }: SettingsError) => terminal.note(`${message}\nwhat held before holds on`);
  let started: Gateway | undefined;
  const file: SettingsFile<GatewaySettings> = await SettingsFile.open(path, gatewaySchema, {
    environment: process.env,
    onProblem,
    onChange: async (settings) => {
      await started?.reload(settings);
      terminal.note(`${path} holds: ${describeGateway(settings)}`);
    },
  });
  try {
    const running = await createGateway(file.value, { directory: dirname(path), onProblem });
    started = running;
    follow(file, running, terminal);
    for (const part of notServed(file.value, workers)) terminal.note(`${path}: ${part} is not served yet`);
    for (const at of await running.listen()) terminal.note(describeListener(at));
    terminal.note(`${path} holds: ${describeGateway(file.value)}`);
    onSignals(async () => {
      file.close();
      await running.close();
    });
  } catch (error) {
    file.close();
    await started?.close({ timeoutMs: 0, spreadMs: 0 });
    throw error;
  }
  return await new Promise<never>(() => {});
}

/** What settings may say already, and nobody does. */
function notServed({ admin, workers }: GatewaySettings, given: number | undefined): string[] {
  return [...(admin === false ? [] : ['admin']), ...((given ?? workers) === 1 ? [] : ['workers'])];
}

/** Whoever sends SIGHUP may have changed a certificate, and not the file. */
function follow(file: SettingsFile<GatewaySettings>, running: Gateway, terminal: Terminal): void {
  process.on('SIGHUP', () => {
    file
      .reload()
      .then(() => running.reload(file.value))
      .catch((error: unknown) => terminal.note(`${file.path}: ${(error as Error).message}`));
  });
}

function describeListener({ protocol, address }: ListeningAt): string {
  return `plimsoll gateway listens on ${protocol}://${address}`;
}

/** What people can mend: it is said in a line, without a stack. */
function isExpected(error: unknown): error is Error {
  if (error instanceof SettingsError || error instanceof RangeError || error instanceof ListenError)
    return true;
  const { cause } = (error ?? {}) as { cause?: { code?: unknown } };
  return error instanceof Error && cause?.code === 'ERR_MODULE_NOT_FOUND';
}
