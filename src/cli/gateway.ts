import { dirname } from 'node:path';
import { readSettingsFile, SettingsError, SettingsFile } from '../config/index.js';
import {
  checkFiles,
  createGateway,
  type Gateway,
  type GatewayLog,
  GatewayPrimary,
  type GatewaySettings,
  gatewaySchema,
  gatewayTarget,
  isGatewayWorker,
  ListenError,
  type ListeningAt,
  type OpenAdmin,
  openAdmin,
  openLog,
  type PrimaryOptions,
  primaryTarget,
  printSettings,
  runWorker,
  WorkerStartError,
  workerCountOf,
} from '../gateway/index.js';
import { semiSpaceHint } from '../gateway/young-generation.js';
import { onSignals } from '../server/lifecycle/signals.js';
import { readProcessLimits } from '../server/signals/cgroup.js';
import { describeGateway } from './describe-gateway.js';
import { GATEWAY_HELP, type GatewayArgs, parseGatewayArgs } from './gateway-args.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** Events that no worker hears of; settings that cannot be read, or whose like takes a restart, come to none either. */
const PRIMARY_LINES: ReadonlySet<string> = new Set(['worker-started', 'worker-died', 'reload-failed']);

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
  if (isGatewayWorker()) {
    await runWorker(isExpected);
    return await new Promise<never>(() => {});
  }
  let problem: SettingsError | undefined;
  /** The last that was said of this file is that it does not hold: somebody waits for word that it does. */
  let isWrong = false;
  const refused = (message: string) => terminal.note(`${message}\nwhat held before holds on`);
  const holds = (settings = file.value) => {
    isWrong = false;
    terminal.note(`${path} holds: ${describeGateway(settings)}`);
  };
  const onProblem = (error: SettingsError) => {
    problem = error;
    started?.settingsFailed(error);
    refused(error.message);
  };
  let started: Gateway | GatewayPrimary | undefined;
  let admin: OpenAdmin | undefined;
  let log: GatewayLog | undefined;
  const file: SettingsFile<GatewaySettings> = await SettingsFile.open(path, gatewaySchema, {
    environment: process.env,
    onProblem: (error) => {
      isWrong = true;
      onProblem(error);
    },
    onMended: () => {
      log?.info('settings hold again', { file: path });
      holds();
    },
    onChange: async (settings) => {
      await started?.reload(settings);
      holds(settings);
    },
  });
  try {
    const count = workerCountOf(workers ?? file.value.workers);
    log = await openLog(file.value, dirname(path));
    log?.info('starting', { file: path });
    const onError = log?.error ?? console.error;
    const options = { directory: dirname(path), onProblem };
    const running =
      count === 1
        ? await createGateway(file.value, { ...options, onError, log })
        : createPrimary(file.value, { ...options, workers: count, note: terminal.note }, log);
    started = running;
    // By itself it would end the process at once, and with it all that is under way.
    if (count === 1) process.on('SIGUSR2', () => terminal.note('SIGUSR2: there are no workers to replace'));
    // Programs that rotate logs send it, whatever there is to be said of the settings.
    if (log !== undefined) process.on('SIGHUP', log.reopen);
    const reload = async () => {
      problem = undefined;
      await file.reload();
      if (problem !== undefined) throw problem;
      // A certificate may have changed, and not the file.
      await running.reload(file.value);
      if (isWrong) holds();
    };
    process.on('SIGHUP', () => {
      reload().catch((error: unknown) => {
        if (error === problem) return;
        isWrong = true;
        refused(messageOf(error, path));
      });
    });
    const end = () => process.kill(process.pid, 'SIGTERM');
    const target =
      running instanceof GatewayPrimary
        ? primaryTarget(running, { reload, end })
        : gatewayTarget(running, { reload, end, onError });
    // First of all: it tells what is going on while the rest begins.
    admin = await openAdmin(target, () => running.settings, onError);
    for (const at of await running.listen()) terminal.note(describeListener(at));
    if (admin !== undefined) terminal.note(`plimsoll admin listens on http://${admin.at.address}`);
    holds();
    // A primary serves nothing itself, and tells its workers.
    if (count === 1) tellOfRoom(terminal);
    onSignals(async () => {
      file.close();
      await running.close();
      await admin?.close();
      await log?.close();
    });
  } catch (error) {
    file.close();
    log?.notStarted((error as Error).message);
    await started?.close({ timeoutMs: 0, spreadMs: 0 });
    await admin?.close();
    await log?.close();
    throw error;
  }
  return await new Promise<never>(() => {});
}

function tellOfRoom(terminal: Terminal): void {
  const said = { execArgv: process.execArgv, nodeOptions: process.env['NODE_OPTIONS'] };
  const hint = semiSpaceHint(readProcessLimits().memoryBytes, said);
  if (hint !== undefined) terminal.note(hint);
}

/** Its workers have logs of their own; what becomes of them is told here. SIGUSR2 replaces them, one by one. */
function createPrimary(
  settings: GatewaySettings,
  options: PrimaryOptions,
  log: GatewayLog | undefined,
): GatewayPrimary {
  const primary = new GatewayPrimary(settings, options);
  primary.events.on((event) => {
    if (PRIMARY_LINES.has(event.kind)) log?.event(event);
  });
  process.on('SIGHUP', () => primary.reopenLogs());
  process.on('SIGUSR2', () => {
    primary.roll().then(
      () => options.note('all workers are new'),
      ({ message }: Error) => options.note(`workers stay as they are: ${message}`),
    );
  });
  return primary;
}

function describeListener({ protocol, address }: ListeningAt): string {
  return `plimsoll gateway listens on ${protocol}://${address}`;
}

/** Errors of settings have the file in each of their lines. */
function messageOf(error: unknown, path: string): string {
  const { message } = error as Error;
  return error instanceof SettingsError ? message : `${path}: ${message}`;
}

/** What people can mend: it is said in a line, without a stack. */
function isExpected(error: unknown): error is Error {
  if (error instanceof SettingsError || error instanceof RangeError || error instanceof ListenError)
    return true;
  if (error instanceof WorkerStartError) return error.isExpected;
  const { cause } = (error ?? {}) as { cause?: { code?: unknown } };
  return error instanceof Error && cause?.code === 'ERR_MODULE_NOT_FOUND';
}
