import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Names are part of the design: these rules keep the terms of the field in the tree, and others out of it. */
const sources = globSync('src/**/*.ts')
  .filter((path) => !path.endsWith('.spec.ts') && !path.includes('/migrations/'))
  .sort()
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

const roles =
  'Authenticator|Cache|Catalog|Channel|Checker|Client|Connector|Controller|Evaluator|Executor|Factory|Fence|Guard|Handler|' +
  'Initializer|Interceptor|Limiter|Middleware|Notifier|Pool|Presenter|Provider|Publisher|Reader|Registry|Renderer|' +
  'Repository|Resolver|Runner|Scheduler|Service|Store|Strategy|Throttle|Watcher';

it('ends the name of every injectable class in its role', () => {
  const classes = sources.flatMap(({ text }) =>
    [...text.matchAll(/@Injectable\([^)]*\)\s*(?:export )?(?:abstract )?class (\w+)/g)].map(([, name]) => name),
  );
  expect(classes.length).toBeGreaterThan(200);
  expect(classes.filter((name) => !new RegExp(`(${roles})$`).test(name))).toEqual([]);
});

it('gives every exported name one meaning', () => {
  const declarations = sources.flatMap(({ path, text }) =>
    [
      ...text.matchAll(/^export (?:abstract )?(?:async )?(?:class|function\*?|const|let|interface|type|enum) (\w+)/gm),
    ].map(([, name]) => ({ name, path })),
  );
  const isRunOfWorker = ({ name, path }: { name: string; path: string }) =>
    name === 'run' && path.endsWith('.isolated.ts'); // platform/isolation calls the entry of a worker by this name
  const pathsByName = Map.groupBy(
    declarations.filter((one) => !isRunOfWorker(one)),
    ({ name }) => name,
  );
  const overloads = (paths: string[]) => new Set(paths).size === 1;
  const repeated = [...pathsByName]
    .map(([name, found]) => ({ name, paths: found.map(({ path }) => path) }))
    .filter(({ paths }) => paths.length > 1 && !overloads(paths));
  expect(repeated).toEqual([]);
});

it('names a file *.service.ts only if it holds an injectable class', () => {
  const services = sources.filter(({ path }) => path.endsWith('.service.ts'));
  expect(services.filter(({ text }) => !text.includes('@Injectable')).map(({ path }) => path)).toEqual([]);
});

/** Words of a private language that the field has terms for. */
const replaced = /^(house|ear|journey|flight|flood|patience|shelf|door)s?$/;
const exceptions: Record<string, string> = {
  flight: 'requests in flight is the term',
  shelf: 'the table is named so; the code says index partition',
  door: 'stored in the addresses of remote agents',
};

it('uses no metaphor in a name where the field has a term', () => {
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
