/** Imports a module of the build: benchmarks measure `dist/`, not the sources. */
export const built = async <T>(file: string): Promise<T> =>
  (await import(new URL(`../dist/${file}.js`, import.meta.url).href)) as T;
