import { expect, it } from 'vitest';
import { AddressLookup, addressOf, type FoundAddress } from './address-lookup.js';

it('knows an address when it sees one, in one spelling', () => {
  expect(addressOf('10.0.0.1')).toEqual({ address: '10.0.0.1', family: 4 });
  expect(addressOf('0:0::1')).toEqual({ address: '::1', family: 6 });
  expect(addressOf('::ffff:7f00:1')).toEqual({ address: '::ffff:127.0.0.1', family: 6 });
  expect(addressOf('fe80::1%eth0')).toEqual({ address: 'fe80::1%eth0', family: 6 });
  expect(addressOf('a.b')).toBeUndefined();
  expect(addressOf('')).toBeUndefined();
});

function make() {
  const asked: string[] = [];
  const answers: ((error: Error | null, address: string) => void)[] = [];
  const found: (FoundAddress | undefined)[] = [];
  const lookup = new AddressLookup((host, done) => {
    asked.push(host);
    answers.push(done);
  });
  const find = (...hosts: string[]) => {
    for (const host of hosts) lookup.find(host, (each) => found.push(each));
  };
  return { asked, answers, found, lookup, find };
}

it('looks up two at a time, and goes on after one that fails', () => {
  const { asked, answers, found, find } = make();
  find('a', 'b', 'c', 'd');
  expect(asked).toEqual(['a', 'b']);
  answers[1]!(new Error('no such host'), '');
  expect(asked).toEqual(['a', 'b', 'c']);
  answers[0]!(null, '10.0.0.1');
  expect(asked).toEqual(['a', 'b', 'c', 'd']);
  answers[2]!(null, 'nonsense');
  expect(found).toEqual([undefined, { address: '10.0.0.1', family: 4 }, undefined]);
});

it('tells nobody after its end', () => {
  const { asked, answers, found, lookup, find } = make();
  find('a', 'b', 'c');
  lookup.close();
  answers[0]!(null, '10.0.0.1');
  expect(asked).toEqual(['a', 'b']);
  expect(found).toEqual([]);
});
