import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readText, SettingsError } from '../../config/index.js';
import { RateRules } from './limit-options.js';
import { RuleTree } from './rule-tree.js';
import { parseRules, type RulesSettings } from './rules-schema.js';

/** All rules that hold, by domain. */
export type Rules = ReadonlyMap<string, RuleTree>;

export interface RulesFilesOptions {
  /** Several files may be about one domain. */
  readonly mergeDomains: boolean;
  readonly onChange: (rules: Rules) => void;
  /** Told why files that have changed do not hold, once. What held before goes on. */
  readonly onProblem: (error: Error) => void;
  /** How often it looks, and how long all must have stayed the same before it is read. */
  readonly pollMs: number;
  readonly settleMs: number;
}

/** What files say, by path. */
type Texts = ReadonlyMap<string, string>;

/**
 * Files of rules, and folders of such, followed as they change: they are read again and again, and are small. Kubernetes
 * swaps a link above them, editors rename others over them, and all that shows in what they say.
 */
export class RulesFiles {
  readonly #paths: readonly string[];
  readonly #options: RulesFilesOptions;
  readonly #rateRules: RateRules;
  readonly #closing = new AbortController();
  #texts: Texts;
  #told = '';
  #looks: Promise<void> = Promise.resolve();
  rules: Rules;

  /** Rejects with a SettingsError when they are wrong: there is nothing that could go on. */
  static async open(
    paths: readonly string[],
    rateRules: RateRules,
    options: RulesFilesOptions,
  ): Promise<RulesFiles> {
    const texts = await readAll(paths);
    const rules = compile(texts, options.mergeDomains, rateRules);
    return new RulesFiles(paths, rateRules, options, texts, rules);
  }

  private constructor(
    paths: readonly string[],
    rateRules: RateRules,
    options: RulesFilesOptions,
    texts: Texts,
    rules: Rules,
  ) {
    this.#paths = paths;
    this.#rateRules = rateRules;
    this.#options = options;
    this.#texts = texts;
    this.rules = rules;
    void this.#follow();
  }

  /** Looks now; resolves when what it found holds, or was told to `onProblem`. Never rejects. */
  reload(): Promise<void> {
    this.#told = '';
    return this.#look();
  }

  close(): void {
    this.#closing.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await sleep(this.#options.pollMs, undefined, { ref: false, signal }).catch(() => {});
      if (!signal.aborted) await this.#look();
    }
  }

  #look(): Promise<void> {
    this.#looks = this.#looks.then(() => this.#lookOnce());
    return this.#looks;
  }

  async #lookOnce(): Promise<void> {
    try {
      const texts = await this.#settled();
      if (this.#closing.signal.aborted || isSame(texts, this.#texts)) return;
      this.rules = compile(texts, this.#options.mergeDomains, this.#rateRules);
      this.#texts = texts;
      this.#told = '';
      this.#options.onChange(this.rules);
    } catch (error) {
      const { message } = error as Error;
      if (this.#closing.signal.aborted || message === this.#told) return;
      this.#told = message;
      this.#options.onProblem(error as Error);
    }
  }

  /** What is being written is read when it is done. */
  async #settled(): Promise<Texts> {
    let texts = await readAll(this.#paths);
    if (isSame(texts, this.#texts)) return texts;
    for (;;) {
      await sleep(this.#options.settleMs);
      const again = await readAll(this.#paths);
      if (isSame(texts, again)) return again;
      texts = again;
    }
  }
}

/** What files say now. */
export async function loadRules(paths: readonly string[], mergeDomains: boolean): Promise<Rules> {
  return compile(await readAll(paths), mergeDomains, new RateRules());
}

async function readAll(paths: readonly string[]): Promise<Texts> {
  const lists = await Promise.all(paths.map(filesAt));
  const files = [...new Set(lists.flat())];
  return new Map(await Promise.all(files.map(async (file) => [file, await readText(file)] as const)));
}

/** The file itself, or those of a folder that look like YAML; what begins with a dot is of somebody else. */
async function filesAt(path: string): Promise<string[]> {
  const found = await stat(path).catch((error: Error) => {
    throw new SettingsError(path, [{ path: '', text: `cannot be read: ${error.message}` }]);
  });
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => /^[^.].*\.ya?ml$/.test(name)).sort();
  return names.map((name) => join(path, name));
}

function isSame(a: Texts, b: Texts): boolean {
  return a.size === b.size && [...a].every(([file, text]) => b.get(file) === text);
}

function compile(texts: Texts, mergeDomains: boolean, rateRules: RateRules): Rules {
  const said = new Map<string, RulesSettings>();
  for (const [file, text] of texts) {
    const settings = parseRules(text, file);
    const known = said.get(settings.domain);
    if (known === undefined) {
      said.set(settings.domain, settings);
      continue;
    }
    if (!mergeDomains) throw twice(file, text, settings.domain);
    said.set(settings.domain, merged(known, settings, file));
  }
  return new Map([...said].map(([domain, settings]) => [domain, new RuleTree(settings, rateRules)]));
}

function merged(a: RulesSettings, b: RulesSettings, file: string): RulesSettings {
  const before = a.descriptors ?? [];
  for (const { key, value } of b.descriptors ?? []) {
    if (before.some((each) => each.key === key && (each.value ?? '') === (value ?? ''))) {
      const name = JSON.stringify(value ? `${key}: ${value}` : key);
      throw new SettingsError(file, [{ path: 'descriptors', text: `${name} is in another file already` }]);
    }
  }
  return { domain: a.domain, descriptors: [...before, ...(b.descriptors ?? [])] };
}

function twice(file: string, text: string, domain: string): SettingsError {
  const before = text.slice(0, Math.max(0, text.search(/^domain:/m)));
  const why = `${JSON.stringify(domain)} is the domain of another file already: merge them with --merge-domains`;
  return new SettingsError(file, [{ line: before.split('\n').length, column: 1, path: 'domain', text: why }]);
}
