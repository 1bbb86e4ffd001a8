import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './schema.d.ts';

/** Documents of the administration API, typed by the committed schema. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; JSON: unknown };
}>();

export type { ResultOf, VariablesOf } from 'gql.tada';
