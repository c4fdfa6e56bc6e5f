import { expect, it } from 'vitest';
import { leadingTo, openCommand } from './open-in-browser.js';

it('knows how each system opens a page', () => {
  expect(openCommand('linux')).toEqual(['xdg-open']);
  expect(openCommand('darwin')).toEqual(['open']);
  expect(openCommand('win32')).toEqual(['cmd', '/c', 'start', '']);
});

it('leads to an address from a file, and to nothing else', () => {
  expect(leadingTo('http://127.0.0.1:9901/dashboard/#token=a-b_c')).toContain(
    'content="0; url=http://127.0.0.1:9901/dashboard/#token=a-b_c"',
  );
  expect(leadingTo('http://h/?a=1&b="><script>')).not.toContain('<script>');
});
