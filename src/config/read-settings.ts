import { type FileHandle, open } from 'node:fs/promises';
import { type ParseOptions, parseSettings, type SettingsSchema } from './parse-settings.js';
import { SettingsError } from './settings-error.js';

/** A thousand services or ten thousand customers are some hundred kilobytes. */
export const MOST_BYTES = 1_000_000;

/** What a file says, checked; rejects with a SettingsError that has everything that is wrong. */
export async function readSettingsFile<T>(
  path: string,
  schema: SettingsSchema<T>,
  options?: ParseOptions,
): Promise<T> {
  return parseSettings(await readText(path), schema, path, options);
}

/** The text of a file, as UTF-8 and not without bound; rejects with a SettingsError. */
export async function readText(path: string): Promise<string> {
  const refuse = (text: string, cause?: unknown): never => {
    throw new SettingsError(path, [{ path: '', text }], { cause });
  };
  const bytes = await readAtMost(path, MOST_BYTES + 1).catch((error: Error) =>
    refuse(`cannot be read: ${error.message}`, error),
  );
  if (bytes.length > MOST_BYTES) refuse(`is larger than ${MOST_BYTES / 1e6} MB`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    return refuse('is no text in UTF-8', error);
  }
}

/** What is no ordinary file may never end. */
async function readAtMost(path: string, most: number): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    return await readHandle(file, most);
  } finally {
    await file.close();
  }
}

async function readHandle(file: FileHandle, most: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(most);
  let length = 0;
  while (length < most) {
    const { bytesRead } = await file.read(bytes, length, most - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
