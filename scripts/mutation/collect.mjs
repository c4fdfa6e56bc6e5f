// What the tests of the core take from Vitest, to be called again and again in one process: `describe` and `it` only note what
// there is, `expect` is Vitest's own.
import { expect, vi } from 'vitest';

let tests = [];
let names = [];
let hooks = [];
let fileName = '';

/** The tests that a module declares while it is loaded. */
export async function collect(path, load) {
  [tests, names, hooks, fileName] = [[], [], [], path];
  await load();
  return tests;
}

function describe(name, declare) {
  const outer = hooks;
  hooks = [...hooks];
  names.push(name);
  declare();
  names.pop();
  hooks = outer;
}

function it(name, body) {
  const before = hooks;
  const full = [...names, name].join(' > ');
  // Cases of a table may have one name.
  const twins = tests.filter((test) => test.name === full || test.name.startsWith(`${full} #`)).length;
  const unique = twins === 0 ? full : `${full} #${twins + 1}`;
  const run = async () => {
    for (const hook of before) await hook();
    await body();
  };
  tests.push({ id: `${fileName}#${unique}`, name: unique, fileName, run });
}

function beforeEach(hook) {
  hooks.push(hook);
}

/** JSON has no large integers. */
function readable(_key, value) {
  return typeof value === 'bigint' ? `${value}n` : value;
}

/** A row that is a list is spread over the arguments. */
const each = (declare) => (rows) => (name, body) => {
  for (const row of rows) {
    const values = Array.isArray(row) ? row : [row];
    declare(`${name} ${JSON.stringify(row, readable)}`, () => body(...values));
  }
};

describe.each = each(describe);
it.each = each(it);
export const collecting = { describe, it, test: it, beforeEach, expect, vi };
