/** A figure as drawn: markup between `<svg>` and `</svg>`, and its size. */
export interface Drawing {
  readonly title: string;
  readonly caption: string;
  readonly width: number;
  readonly height: number;
  readonly markup: string;
}

/**
 * What ECharts writes, without what is for a mouse (styles of hovering, data for events, areas that catch clicks), and
 * with ids that do not depend on how much was drawn before.
 */
export function tidyMarkup(svg: string, prefix: string): string {
  return (
    svg
      .replace(/^<svg[^>]*>\s*/, '')
      .replaceAll(/<style[\s\S]*?<\/style>/g, '')
      .replace(/\s*<\/svg>\s*$/, '')
      .replaceAll(/ (class|pointer-events|ecmeta_\w+)="[^"]*"/g, '')
      .replaceAll(/<path(?=[^>]* fill-opacity="0")(?=[^>]* stroke-width="0")[^>]*><\/path>\n?/g, '')
      .replaceAll(/<path(?=[^>]* fill="none")(?![^>]* stroke=)[^>]*><\/path>\n?/g, '')
      // Not every program that shows SVG knows the attribute.
      .replaceAll('dominant-baseline="central"', 'dy="0.35em"')
      .replaceAll(/(id="|url\(#)zr\d+-/g, `$1${prefix}-`)
  );
}

/** One file, the drawings one below the other. */
export function stackDrawings(drawings: readonly Drawing[]): string {
  const width = Math.max(...drawings.map((drawing) => drawing.width));
  const height = drawings.reduce((sum, drawing) => sum + drawing.height, 0);
  const title = escapeText(drawings.map((drawing) => drawing.title).join('; '));
  const description = escapeText(drawings.map(({ caption }) => caption).join(' '));
  let top = 0;
  const groups = drawings.map((drawing) => {
    const group = `<g transform="translate(0 ${top})">\n${drawing.markup}\n</g>`;
    top += drawing.height;
    return group;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${title}</title>`,
    `<desc>${description}</desc>`,
    ...groups,
    '</svg>\n',
  ].join('\n');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
