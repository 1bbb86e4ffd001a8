import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Names are part of the design. These rules enforce the common terms of the field. */
const sources = globSync('src/**/*.ts')
  .filter((path) => !path.endsWith('.spec.ts') && !path.includes('/migrations/'))
  .sort()
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

const roles =
  'Authenticator|Cache|Catalog|Channel|Checker|Client|Connector|Controller|Evaluator|Executor|Factory|Fence|Guard|Handler|' +
  'Initializer|Interceptor|Limiter|Middleware|Notifier|Pool|Presenter|Provider|Publisher|Reader|Registry|Renderer|' +
  'Repository|Resolver|Runner|Scheduler|Service|Store|Strategy|Throttle|Watcher';

it('the name of every injectable class ends with its role', () => {
  const classes = sources.flatMap(({ text }) =>
    [...text.matchAll(/@Injectable\([^)]*\)\s*(?:export )?(?:abstract )?class (\w+)/g)].map(([, name]) => name),
  );
  expect(classes.length).toBeGreaterThan(200);
  expect(classes.filter((name) => !new RegExp(`(${roles})$`).test(name))).toEqual([]);
});

it('every exported name has one meaning', () => {
  const declarations = sources.flatMap(({ path, text }) =>
    [
      ...text.matchAll(/^export (?:abstract )?(?:async )?(?:class|function\*?|const|let|interface|type|enum) (\w+)/gm),
    ].map(([, name]) => ({ name, path })),
  );
  // platform/isolation requires the name "run" for the entry point of a worker
  const isRunOfWorker = ({ name, path }: { name: string; path: string }) =>
    name === 'run' && path.endsWith('.isolated.ts');
  const pathsByName = Map.groupBy(
    declarations.filter((one) => !isRunOfWorker(one)),
    ({ name }) => name,
  );
  const overloads = (paths: string[]) => new Set(paths).size === 1;
  const repeated = [...pathsByName]
    .map(([name, all]) => ({ name, paths: all.map(({ path }) => path) }))
    .filter(({ paths }) => paths.length > 1 && !overloads(paths));
  expect(repeated).toEqual([]);
});

it('every file *.service.ts contains an injectable class', () => {
  const services = sources.filter(({ path }) => path.endsWith('.service.ts'));
  expect(services.filter(({ text }) => !text.includes('@Injectable')).map(({ path }) => path)).toEqual([]);
});

/** Metaphors for which the field has terms. */
const replaced = /^(house|ear|journey|flight|flood|patience|shelf|door)s?$/;
const exceptions: Record<string, string> = {
  flight: '"in flight" is the common term for pending requests',
  door: 'part of the stored addresses of remote agents',
};

it('no name uses a metaphor for which the field has a term', () => {
  const used = sources.flatMap(({ path, text }) => {
    const code = text.replace(/\/\*.*?\*\/|\/\/[^\n]*|`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/gs, '');
    const words = [...code.matchAll(/\b[A-Za-z_]\w*\b/g)].flatMap(([name]) =>
      (name.match(/[A-Z]?[a-z]+/g) ?? []).map((word) => ({ name, word: word.toLowerCase() })),
    );
    return words
      .filter(({ word }) => replaced.test(word) && !(word.replace(/s$/, '') in exceptions))
      .map(({ name }) => `${path} ${name}`);
  });
  expect([...new Set(used)]).toEqual([]);
});
