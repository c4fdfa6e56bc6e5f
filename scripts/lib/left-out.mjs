// Parts of packages that the page's worker cannot come to, but no bundler can know that: methods of classes and of schemas.
// Together they are a tenth of the worker. What is left in their place does nothing.

/** By the path within node_modules: what is written by nobody there. */
const LEFT_OUT = [
  // Zod schemas as JSON Schema: `plimsoll schema` writes that.
  /\/zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/,
  // YAML is only read, and only 1.2, of which just `<<` is kept: a file that says otherwise is told so.
  /\/yaml\/browser\/dist\/stringify\/\w+\.js$/,
  /\/yaml\/browser\/dist\/schema\/yaml-1\.1\/(?!merge\b)\w+\.js$/,
  /\/yaml\/browser\/dist\/parse\/cst-(scalar|stringify|visit)\.js$/,
];

/** A plugin for Vite. Each part has to be met: where a package has changed, somebody should look. */
export function leaveOut() {
  const met = new Set();
  return {
    name: 'plimsoll-left-out',
    enforce: 'pre',
    transform(code, id) {
      const at = LEFT_OUT.findIndex((pattern) => pattern.test(id));
      if (at === -1) return undefined;
      met.add(at);
      return { code: exportsOf(code).map(inert).join('\n'), map: null };
    },
    buildEnd(error) {
      const missing = LEFT_OUT.filter((_, at) => !met.has(at));
      if (error === undefined && missing.length > 0)
        throw new Error(`there is nothing to leave out: ${missing}`);
    },
  };
}

function exportsOf(code) {
  const declared = [...code.matchAll(/^export (?:const|let|var|function|class) (\w+)/gm)].map(
    ([, name]) => name,
  );
  const listed = [...code.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names]) => names.split(','));
  return [
    ...declared,
    ...listed.map((name) =>
      name
        .trim()
        .split(/\s+as\s+/)
        .at(-1),
    ),
  ].filter((name) => name !== '');
}

/** A list of tags is one of none; all else is a function that is called by nobody, or by those who expect nothing. */
function inert(name) {
  return name === 'schema' ? 'export const schema = [];' : `export function ${name}() {}`;
}
