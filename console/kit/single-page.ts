import type { Pages } from './use-pages.ts';

/** A list that was loaded as a whole, for `<Rows>`. */
export const singlePage = <Node>(nodes: readonly Node[]): Pages<Node> => ({
  nodes: [...nodes],
  totalCount: nodes.length,
  hasMore: false,
  isFetching: false,
  problem: null,
  more: () => {},
  refetch: () => {},
});
