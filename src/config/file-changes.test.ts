import { describe, expect, it } from 'vitest';
import { FileChanges } from './file-changes.js';

describe('a file that is followed', () => {
  it('is read when it has changed, and then looks the same twice', () => {
    const changes = new FileChanges('1', 'a');
    expect(['1', '1', '2', '3', '3', '3', '3'].map((mark) => changes.observe(mark))).toEqual([
      'nothing',
      'nothing',
      'wait',
      'wait',
      'read',
      'nothing',
      'nothing',
    ]);
  });

  it('is not read when it is as it was before anybody could read it', () => {
    const changes = new FileChanges('1', 'a');
    expect(['2', '1', '1'].map((mark) => changes.observe(mark))).toEqual(['wait', 'nothing', 'nothing']);
  });

  it('is read again when that failed, or was asked for', () => {
    const changes = new FileChanges('1', 'a');
    changes.readAgain();
    expect(changes.observe('1')).toBe('read');
    expect(changes.observe('1')).toBe('nothing');
    changes.ask();
    expect(changes.observe('2')).toBe('wait');
    expect(changes.observe('2')).toBe('read');
  });

  it('is news when it says something else than what holds', () => {
    const changes = new FileChanges('1', 'a');
    expect(changes.isNews('a')).toBe(false);
    expect(changes.isNews('b')).toBe(true);
    expect(changes.isNews('b')).toBe(true);
    changes.applied('b');
    expect(changes.isNews('b')).toBe(false);
    expect(changes.isNews('a')).toBe(true);
  });
});

describe('a problem', () => {
  it('is told once', () => {
    const changes = new FileChanges('1', 'a');
    expect(['x', 'x', 'y', 'x'].map((problem) => changes.isToBeTold(problem))).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  it('is mended once, when the file says again what holds', () => {
    const changes = new FileChanges('1', 'a');
    expect(changes.isMended()).toBe(false);
    changes.isToBeTold('x');
    changes.ask();
    changes.isToBeTold('x');
    expect([changes.isMended(), changes.isMended()]).toEqual([true, false]);
    changes.isToBeTold('x');
    changes.applied('b');
    expect(changes.isMended()).toBe(false);
  });

  it.each<[string, (changes: FileChanges) => void]>([
    ['somebody asks', (changes) => changes.ask()],
    ['the file was right in between', (changes) => changes.applied('b')],
    ['the file was as before in between', (changes) => changes.isNews('a')],
  ])('is told again when %s', (_, happen) => {
    const changes = new FileChanges('1', 'a');
    changes.isToBeTold('x');
    changes.readAgain();
    changes.isNews('b');
    expect(changes.isToBeTold('x')).toBe(false);
    happen(changes);
    expect(changes.isToBeTold('x')).toBe(true);
  });
});
