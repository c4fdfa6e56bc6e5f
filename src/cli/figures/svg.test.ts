import { expect, it } from 'vitest';
import { stackDrawings, tidyMarkup } from './svg.js';

it('takes out what is for a mouse', () => {
  const svg = `<svg width="10" xmlns="x">
<path d="M0 0" fill="none" pointer-events="visible" stroke="#000" ecmeta_ssr_type="chart" class="zr3-cls-0"></path>
<path d="M1 1" fill="rgb(0,0,0)" fill-opacity="0" stroke="#fff" stroke-width="0"></path>
<path d="M2 2" fill="none"></path>
<text dominant-baseline="central" class="a">b</text>
<g clip-path="url(#zr3-c0)"></g>
<style ><![CDATA[ .zr3-cls-0:hover { } ]]></style>
</svg>`;
  expect(tidyMarkup(svg, 'figure0')).toBe(`<path d="M0 0" fill="none" stroke="#000"></path>
<text dy="0.35em">b</text>
<g clip-path="url(#figure0-c0)"></g>`);
});

it('puts one below the other', () => {
  const drawing = { title: 'a < b', caption: 'A & B.', width: 10, height: 5, markup: '<a/>' };
  expect(stackDrawings([drawing, { ...drawing, title: 'c', caption: 'C > D.', width: 20, height: 7 }])).toBe(
    `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="12" viewBox="0 0 20 12" role="img">
<title>a &lt; b; c</title>
<desc>A &amp; B. C &gt; D.</desc>
<g transform="translate(0 0)">
<a/>
</g>
<g transform="translate(0 5)">
<a/>
</g>
</svg>
`,
  );
});
