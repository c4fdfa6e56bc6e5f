import { expect, it } from 'vitest';
import { openCommand } from './open-in-browser.js';

it('knows how each system opens a page', () => {
  expect(openCommand('linux')).toEqual(['xdg-open']);
  expect(openCommand('darwin')).toEqual(['open']);
  expect(openCommand('win32')).toEqual(['cmd', '/c', 'start', '']);
});
