/** The names of all properties in a JSON schema, however deep. */
export function fieldsOf(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found;
  const { properties } = schema as { properties?: object };
  for (const name of Object.keys(properties ?? {})) found.add(name);
  for (const part of Object.values(schema)) fieldsOf(part, found);
  return found;
}
