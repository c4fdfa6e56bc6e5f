type Path = readonly PropertyKey[];

/** Of settings that were read: where the environment has a part in them. */
const FILLED = new WeakMap<object, (path: Path) => boolean>();

export function noteFilledIn(settings: unknown, filledIn: ((path: Path) => boolean) | undefined): void {
  if (filledIn !== undefined && typeof settings === 'object' && settings !== null)
    FILLED.set(settings, filledIn);
}

/**
 * Whether what stands there was `${NAME}` in the file: mostly since it is nobody's business. Of settings as they were
 * read, and of no copy; by the path that it has in the file.
 */
export function isFilledIn(settings: object, path: Path): boolean {
  return FILLED.get(settings)?.(path) === true;
}
