import type { Fixture } from './fixture.ts';
import { changes } from './tools/changes.ts';
import { contents } from './tools/contents.ts';
import { onTheWay } from './tools/on-the-way.ts';
import { questions } from './tools/questions.ts';
import { rounds } from './tools/rounds.ts';
import { schemas } from './tools/schemas.ts';

/** The names are fixed by the public conformance suites. */
export const tools: Record<string, Fixture> = {
  ...contents,
  ...onTheWay,
  ...questions,
  ...rounds,
  ...schemas,
  ...changes,
};
