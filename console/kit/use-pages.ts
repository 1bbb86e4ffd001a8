import { useCallback, useEffect, useRef, useState } from 'react';
import { type AnyVariables, type DocumentInput, useClient } from 'urql';
import type { ConsoleEventKind } from '../../src/console/events/console-event-kinds.ts';
import { useChangeEvents } from '../api/change-events.ts';
import { type Problem, problemOf } from '../api/problem.ts';

interface PageOf<Node> {
  nodes: Node[];
  /** Undefined where counting is too expensive. */
  totalCount?: number;
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export interface Pages<Node> {
  /** Null until the first page has loaded. */
  nodes: Node[] | null;
  /** -1 where unknown. */
  totalCount: number;
  hasMore: boolean;
  isFetching: boolean;
  problem: Problem | null;
  more(): void;
  refetch(): void;
}

interface Options<Data, Node, Variables> {
  query: DocumentInput<Data, Variables & { first: number; after: string | null }>;
  /** Everything but `first` and `after`. A change of them starts a new list. */
  variables: Variables;
  pick(data: Data): PageOf<Node>;
  /** Change events of these kinds refetch the rows that are loaded. */
  news?: ConsoleEventKind | readonly ConsoleEventKind[];
}

const perPage = 100;
const most = 200;

/** A list that is loaded page by page with cursors. */
export function usePages<Data, Node, Variables extends AnyVariables>({
  query,
  variables,
  pick,
  news = [],
}: Options<Data, Node, Variables>): Pages<Node> {
  const client = useClient();
  const [page, setPage] = useState<PageOf<Node> | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isFetching, setFetching] = useState(true);
  const turn = useRef(0);
  const key = JSON.stringify(variables);

  /** Loads `count` rows, starting after `before`. */
  const fetchFrom = useCallback(
    async (before: PageOf<Node> | null, count: number) => {
      const mine = ++turn.current;
      setFetching(true);
      let all = before;
      for (let wanted = count; wanted > 0;) {
        const pageVariables = {
          ...(JSON.parse(key) as Variables),
          first: Math.min(wanted, most),
          after: all?.pageInfo.endCursor ?? null,
        };
        const { data, error } = await client.query(query, pageVariables, { requestPolicy: 'network-only' }).toPromise();
        if (mine !== turn.current) return;
        if (!data) {
          setProblem(problemOf(error!));
          break;
        }
        setProblem(null);
        const next = pick(data);
        all = { ...next, nodes: [...(all?.nodes ?? []), ...next.nodes] };
        wanted = next.pageInfo.hasNextPage ? wanted - next.nodes.length : 0;
      }
      if (all) setPage(all);
      setFetching(false);
    },
    // the `query` and `pick` of a page never change
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [client, key],
  );

  useEffect(() => {
    setPage(null);
    void fetchFrom(null, perPage);
  }, [fetchFrom]);
  // ignores responses after unmount
  useEffect(() => {
    const turns = turn;
    return () => void turns.current++;
  }, []);

  const refetch = useCallback(
    () => void fetchFrom(null, Math.max(perPage, page?.nodes.length ?? 0)),
    [fetchFrom, page?.nodes.length],
  );
  // lets a running fetch finish: restarting it on each of many change events would never show a long list
  const [isBehind, setBehind] = useState(false);
  useChangeEvents(news, () => (isFetching ? setBehind(true) : refetch()));
  useEffect(() => {
    if (!isBehind || isFetching) return;
    setBehind(false);
    refetch();
  }, [isBehind, isFetching, refetch]);

  return {
    nodes: page?.nodes ?? null,
    totalCount: page ? (page.totalCount ?? -1) : 0,
    hasMore: page?.pageInfo.hasNextPage ?? false,
    isFetching,
    problem,
    refetch,
    more: () => {
      // after an error only the person retries, not every scroll to the end
      if (page?.pageInfo.hasNextPage && !isFetching && !problem) void fetchFrom(page, perPage);
    },
  };
}
