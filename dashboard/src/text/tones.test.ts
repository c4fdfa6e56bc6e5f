import { expect, it } from 'vitest';
import { stateName, stateTone, toneOf } from './tones.js';

it('colours a utilization by how close it is to its target', () => {
  expect([undefined, 0, 0.79, 0.8, 1, 1.01].map(toneOf)).toEqual([
    'plain',
    'good',
    'good',
    'warn',
    'warn',
    'bad',
  ]);
});

it('has a colour and a name for every state, known or not', () => {
  expect(['ready', 'lame-duck', 'ejected', 'new-one'].map(stateTone)).toEqual([
    'good',
    'warn',
    'bad',
    'plain',
  ]);
  expect(stateName('lame-duck')).toBe('lame duck');
});
