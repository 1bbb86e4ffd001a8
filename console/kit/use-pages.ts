import { useCallback, useEffect, useRef, useState } from 'react';
import { type AnyVariables, type DocumentInput, useClient } from 'urql';
import { type Kind, useNews } from '../api/live.ts';
import { type Problem, problemOf } from '../api/problem.ts';

interface PageOf<Node> {
  nodes: Node[];
  /** Not where counting costs more than it tells. */
  totalCount?: number;
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export interface Pages<Node> {
  /** Null until the first page is here. */
  nodes: Node[] | null;
  /** -1: not known. */
  totalCount: number;
  hasMore: boolean;
  isFetching: boolean;
  problem: Problem | null;
  more(): void;
  again(): void;
}

interface Options<Data, Node, Variables> {
  query: DocumentInput<Data, Variables & { first: number; after: string | null }>;
  /** Everything but `first` and `after`. Other variables begin a new list. */
  variables: Variables;
  pick(data: Data): PageOf<Node>;
  /** News of these kinds make it look again at as many rows as are shown. */
  news?: Kind | readonly Kind[];
}

const perPage = 100;
const most = 200;

/** A list by cursors, page after page as somebody scrolls. */
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

  /** From a cursor on, until so many rows are there. */
  const fetchFrom = useCallback(
    async (before: PageOf<Node> | null, count: number) => {
      const mine = ++turn.current;
      setFetching(true);
      let all = before;
      for (let wanted = count; wanted > 0;) {
        const asked = {
          ...(JSON.parse(key) as Variables),
          first: Math.min(wanted, most),
          after: all?.pageInfo.endCursor ?? null,
        };
        const { data, error } = await client.query(query, asked, { requestPolicy: 'network-only' }).toPromise();
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
    // a page's `query` and `pick` never change
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [client, key],
  );

  useEffect(() => {
    setPage(null);
    void fetchFrom(null, perPage);
  }, [fetchFrom]);
  // what is still under way when the list goes comes to nothing
  useEffect(() => {
    const turns = turn;
    return () => void turns.current++;
  }, []);

  const again = useCallback(
    () => void fetchFrom(null, Math.max(perPage, page?.nodes.length ?? 0)),
    [fetchFrom, page?.nodes.length],
  );
  // what is under way is let finish: begun anew at each of many news, a long list would never be there
  const [isBehind, setBehind] = useState(false);
  useNews(news, () => (isFetching ? setBehind(true) : again()));
  useEffect(() => {
    if (!isBehind || isFetching) return;
    setBehind(false);
    again();
  }, [isBehind, isFetching, again]);

  return {
    nodes: page?.nodes ?? null,
    totalCount: page ? (page.totalCount ?? -1) : 0,
    hasMore: page?.pageInfo.hasNextPage ?? false,
    isFetching,
    problem,
    again,
    more: () => {
      // what failed is tried again by a person, not by every glance at the end of the list
      if (page?.pageInfo.hasNextPage && !isFetching && !problem) void fetchFrom(page, perPage);
    },
  };
}
