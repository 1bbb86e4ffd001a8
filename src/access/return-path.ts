/** The page to open after sign-in: a path of this origin, otherwise the console. Never another site (open redirect). */
export function returnPath(path: unknown): string {
  if (typeof path !== 'string' || !/^\/(?![/\\])[\x21-\x7e]*$/.test(path) || path.length > 2000) return home;
  const url = new URL(path, origin);
  return url.origin === origin ? url.pathname + url.search : home;
}

const home = '/console';
const origin = 'http://self.invalid';
