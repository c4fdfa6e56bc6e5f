import { describe, expect, it } from 'vitest';
import type { Choice } from './protocol.js';
import { fromFragment, MOST_TEXT, toFragment } from './share.js';

const SCENARIO: Choice = { subject: { kind: 'scenario', name: 'plateau' }, seed: 7, policies: [] };
const FLEET: Choice = {
  subject: { kind: 'fleet', text: 'durationMs: 5 # <b>é</b>\n' },
  seed: 0,
  policies: ['round-robin', 'prequal'],
};

describe('a link', () => {
  it.each([SCENARIO, FLEET])('is what it stands for: %j', async (choice) => {
    const fragment = await toFragment(choice);
    expect(await fromFragment(fragment!)).toEqual(choice);
    expect(await fromFragment(`#${fragment}`)).toEqual(choice);
    // As it is: nothing that a program that finds links in a text would end it at.
    expect(fragment).toMatch(/^[\w/?=&+-]+$/);
  });

  it('can be read where nothing is packed', async () => {
    expect(await toFragment(SCENARIO)).toBe('/simulator?scenario=plateau&seed=7');
    expect(await fromFragment('#simulator?scenario=plateau')).toEqual({ ...SCENARIO, seed: 0 });
  });

  it('is none when it would be too long', async () => {
    const text = Array.from({ length: 10_000 }, (_, at) => Math.sin(at).toString(36)).join('\n');
    expect(await toFragment({ ...FLEET, subject: { kind: 'fleet', text } })).toBeUndefined();
  });
});

describe('what is no link of ours', () => {
  it.each([
    '',
    '#',
    '#token=secret',
    '#/simulator',
    '#/simulator?',
    '#/simulator?seed=1',
    '#/simulator?scenario=<img src=x>',
    '#/simulator?scenario=a?b',
    '#/simulator?scenario=plateau&seed=-1',
    '#/simulator?scenario=plateau&seed=1e9',
    '#/simulator?scenario=plateau&policies=prequal+fastest',
    '#/simulator?scenario=plateau&policies=prequal+prequal',
    '#/simulator?fleet=',
    '#/simulator?fleet=AAAA',
    '#//simulator?scenario=plateau',
    '#/simulators?scenario=plateau',
    `#/simulator?scenario=plateau&${'x'.repeat(8_000)}`,
  ])('stands for nothing: %s', async (fragment) => {
    expect(await fromFragment(fragment)).toBeUndefined();
  });

  it('stands for nothing when its text is too long', async () => {
    const text = '#'.repeat(MOST_TEXT + 1);
    const fragment = await toFragment({ ...FLEET, subject: { kind: 'fleet', text } });
    expect(fragment).toBeDefined();
    expect(await fromFragment(fragment!)).toBeUndefined();
  });
});
