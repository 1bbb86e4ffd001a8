import { transform } from '@swc/core';
import { availableParallelism } from 'node:os';
import { defineConfig, type Plugin } from 'vitest/config';
import { LongestFirst } from './test/kit/longest-first.ts';

/** Nest asks for the types of decorated parameters and fields as metadata, which only SWC writes as the build does. */
const swc: Plugin = {
  name: 'swc',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('.ts')
      ? transform(code, {
          filename: id,
          swcrc: false,
          sourceMaps: true,
          module: { type: 'es6' },
          jsc: {
            target: 'es2023',
            parser: { syntax: 'typescript', decorators: true },
            transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
            keepClassNames: true,
          },
        })
      : undefined,
};

export default defineConfig({
  plugins: [swc],
  oxc: false,
  resolve: { alias: { graphql: 'graphql/index.js' } }, // the one that packages of node_modules load: there must be only one
  test: {
    include: ['{src,test}/**/*.{spec,e2e-spec}.ts'],
    globalSetup: 'test/kit/global-setup.js',
    setupFiles: 'test/kit/around-files.ts',
    sequence: { hooks: 'list', sequencer: LongestFirst },
    isolate: false, // a worker loads the server once, not once for each file
    execArgv: ['--max-semi-space-size=64'], // fewer collections of short-lived objects: a tenth less CPU time
    maxWorkers: availableParallelism() + 4, // tests wait a good part of their time
    // only end tests that hang, also on a busy machine
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
