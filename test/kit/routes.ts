import type { INestApplication } from '@nestjs/common';

interface Layer {
  name: string;
  route?: { path: string; methods: Record<string, boolean> };
  match(path: string): unknown;
}

const layersOf = (app: INestApplication): Layer[] =>
  (app.getHttpAdapter().getInstance() as { router: { stack: Layer[] } }).router.stack;

/** All routes of the running server, for example "GET /account". */
export const routesOf = (app: INestApplication): string[] =>
  layersOf(app).flatMap(({ route }) =>
    route ? Object.keys(route.methods).map((method) => `${method.toUpperCase()} ${route.path}`) : [],
  );

/** An address that the path pattern matches, with optional groups and with names in place of parameters. */
const addressMatching = (pattern: string): string =>
  pattern.replace(/[{}]/g, '').replace(/(\\:)|[:*](?=\w)/g, (_, escaped?: string) => (escaped ? ':' : ''));

/** Routes that are unreachable because an earlier route matches the same addresses. */
export const shadowedRoutes = (app: INestApplication): string[] => {
  const layers = layersOf(app);
  return layers.flatMap((layer) => {
    const { route } = layer;
    if (!route) return [];
    const address = addressMatching(route.path);
    return Object.keys(route.methods).flatMap((method) => {
      const first = layers.find((other) => other.route?.methods[method] && other.match(address));
      return first === layer ? [] : [`${method.toUpperCase()} ${route.path} by ${first?.route?.path}`];
    });
  });
};

/** All handlers mounted beside the routes, in order: the name, and which of these paths they match. */
export const handlersBeside = (app: INestApplication, paths: string[]): string[] =>
  layersOf(app).flatMap(({ route, name, match }, index, layers) => {
    if (route) return [];
    const seen = paths.filter((path) => match.call(layers[index], path));
    return [
      `${name.replace(/^<anonymous>$|^$/, 'a function')} at ${seen.length === paths.length ? 'everything' : seen.join(', ')}`,
    ];
  });
