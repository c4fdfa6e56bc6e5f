import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A Lua script as Redis knows it: by the hash of its text. */
export interface RedisScript {
  readonly name: string;
  readonly text: string;
  readonly sha: string;
}

/** The files one after the other as one script, named by the last: what the others define is there when it runs. */
export function loadScript(...fileNames: readonly [string, ...string[]]): RedisScript {
  const text = fileNames.map((name) => readFileSync(new URL(`./scripts/${name}`, import.meta.url), 'utf8'));
  return scriptOf(fileNames.at(-1)!, text.join('\n'));
}

export function scriptOf(name: string, text: string): RedisScript {
  return { name, text, sha: createHash('sha1').update(text).digest('hex') };
}
