import { describe, expect, it } from 'vitest';
import { HeldAnswers } from './held-answers.js';

describe('HeldAnswers', () => {
  it('lets all of a turn go at once, and asks for one moment a turn', () => {
    const asked: (() => void)[] = [];
    const held = new HeldAnswers((callback) => asked.push(callback));
    const released: string[] = [];
    const answer = (name: string) => ({ release: () => void released.push(name) });
    held.add(answer('a'));
    held.add(answer('b'));
    expect([asked.length, released]).toEqual([1, []]);
    asked[0]!();
    expect(released).toEqual(['a', 'b']);
    held.add(answer('c'));
    expect(asked.length).toBe(2);
    asked[1]!();
    expect(released).toEqual(['a', 'b', 'c']);
  });

  it('keeps for the next turn what is added by one that goes', () => {
    const asked: (() => void)[] = [];
    const held = new HeldAnswers((callback) => asked.push(callback));
    const released: string[] = [];
    held.add({ release: () => held.add({ release: () => void released.push('later') }) });
    asked[0]!();
    expect([asked.length, released]).toEqual([2, []]);
    asked[1]!();
    expect(released).toEqual(['later']);
  });
});
