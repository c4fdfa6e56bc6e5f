import * as z from 'zod';
import {
  parseSettings,
  readSettingsFile,
  SettingsError,
  SettingsFile,
  type SettingsFileOptions,
} from '../config/index.js';
import type { QuotaLimits } from '../core/index.js';
import { anyQuotaFileSchema, isUnit, quotaFileSchema } from './quota-file-schema.js';
import type { QuotaEnforce } from './quota-options.js';

export { QUOTA_FILE_KEYS } from './quota-file-schema.js';

/** What a file says, as `createQuota` takes it: `createQuota({ redis, ...await readQuotaFile(path) })`. */
export interface QuotaFile {
  readonly service?: string;
  readonly unit: string;
  readonly limits: QuotaLimits;
  readonly enforce: QuotaEnforce;
}

/** Quotas of customers from a file; rejects with a SettingsError that has everything that is wrong with it. */
export function readQuotaFile(path: string): Promise<QuotaFile> {
  return readSettingsFile(path, schemaFor);
}

/** The same from a text; `name` is what it is called in messages. */
export function parseQuotaFile(text: string, name = 'quotas'): QuotaFile {
  return parseSettings(text, schemaFor, name);
}

/**
 * A file of quotas, followed as it changes: `onChange` gets what it says from then on, and a file that is wrong changes
 * nothing. Limits can change while a process runs; another service, unit or way to enforce takes a restart.
 */
export async function watchQuotaFile(
  path: string,
  options: Partial<SettingsFileOptions<QuotaFile>> = {},
): Promise<SettingsFile<QuotaFile>> {
  const { onChange } = options;
  const file: SettingsFile<QuotaFile> = await SettingsFile.open(path, schemaFor, {
    ...options,
    onChange: (changed) => {
      checkSame(path, file.value, changed);
      return onChange?.(changed);
    },
  });
  return file;
}

/** For editors, which complete and check by it. */
export function quotaJsonSchema(): object {
  return { title: 'Quotas of Plimsoll', ...z.toJSONSchema(anyQuotaFileSchema, { io: 'input' }) };
}

/** Which word stands before an amount, the file says itself. */
function schemaFor(given: unknown): z.ZodType<QuotaFile> {
  const unit = (given as { unit?: unknown } | null)?.unit;
  // What is no unit is said to be none; the rest is looked at as if it were not there.
  return quotaFileSchema(isUnit(unit) ? unit : 'cpu').transform(toQuotaFile);
}

type Said = z.output<ReturnType<typeof quotaFileSchema>>;

function toQuotaFile({ service, unit, customers = {}, everyoneElse, enforce }: Said): QuotaFile {
  const named = Object.entries(customers).map(([customer, limit]) => ({ customer, ...limit }));
  const limits = { customers: named, everyoneElse };
  return { ...(service !== undefined && { service }), unit, limits, enforce };
}

/** Limits in another unit, taken for what they were, would be wrong by any factor. */
function checkSame(path: string, before: QuotaFile, now: QuotaFile): void {
  const problems = (['service', 'unit', 'enforce'] as const)
    .filter((key) => before[key] !== now[key])
    .map((key) => ({
      path: key,
      text: `was ${before[key] ?? 'not there'} when this process began: restart it`,
    }));
  if (problems.length > 0) throw new SettingsError(path, problems);
}
