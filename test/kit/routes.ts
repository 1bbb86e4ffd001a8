import type { INestApplication } from '@nestjs/common';

interface Layer {
  name: string;
  route?: { path: string; methods: Record<string, boolean> };
  match(path: string): unknown;
}

const layersOf = (app: INestApplication): Layer[] =>
  (app.getHttpAdapter().getInstance() as { router: { stack: Layer[] } }).router.stack;

/** Every route of the running server, as "GET /account". */
export const routesOf = (app: INestApplication): string[] =>
  layersOf(app).flatMap(({ route }) =>
    route ? Object.keys(route.methods).map((method) => `${method.toUpperCase()} ${route.path}`) : [],
  );

/** Every handler mounted beside the routes, in order: its name, and which of these paths it sees. */
export const handlersBeside = (app: INestApplication, paths: string[]): string[] =>
  layersOf(app).flatMap(({ route, name, match }, index, layers) => {
    if (route) return [];
    const seen = paths.filter((path) => match.call(layers[index], path));
    return [
      `${name.replace(/^<anonymous>$|^$/, 'a function')} at ${seen.length === paths.length ? 'everything' : seen.join(', ')}`,
    ];
  });
