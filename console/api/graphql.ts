import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './schema.d.ts';

/** Documents of the administration API; their types come from the committed schema. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; JSON: unknown };
}>();

export type { FragmentOf, ResultOf, VariablesOf } from 'gql.tada';
export { readFragment } from 'gql.tada';
