import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { useChangeEvents } from '../../api/change-events.ts';
import { graphql, type VariablesOf } from '../../api/graphql.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import type { Pages } from '../../kit/use-pages.ts';
import { type TaskRow, taskRow } from './task-columns.tsx';

const query = graphql(
  `
    query SearchTasks($input: SearchTasksInput!) {
      searchTasks(input: $input) {
        searchedUntil
        nodes {
          ...TaskRow
        }
      }
    }
  `,
  [taskRow],
);

export type TaskSearch = Omit<VariablesOf<typeof query>['input'], 'before'>;
interface Found {
  nodes: TaskRow[];
  searchedUntil: string | null;
}

/** The matching tasks. The server searches a limited number of tasks at a time; `searchOlder` continues. */
export function useTaskSearch(search: TaskSearch): { pages: Pages<TaskRow>; searchOlder?: () => void } {
  const client = useClient();
  const key = JSON.stringify(search);
  const [shown, setShown] = useState<Found & { key: string }>();
  const [steps, setSteps] = useState({ key, count: 1 });
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isFetching, setFetching] = useState(true);
  const turn = useRef(0);
  const count = steps.key === key ? steps.count : 1;

  const load = useCallback(async () => {
    const mine = ++turn.current;
    setFetching(true);
    const found: Found = { nodes: [], searchedUntil: null };
    for (let step = 0; step < count && (step === 0 || found.searchedUntil); step++) {
      const input = { ...(JSON.parse(key) as TaskSearch), before: found.searchedUntil };
      const { data, error } = await client.query(query, { input }, { requestPolicy: 'network-only' }).toPromise();
      if (mine !== turn.current) return;
      setProblem(error ? problemOf(error) : null);
      if (!data) return setFetching(false);
      found.nodes.push(...data.searchTasks.nodes);
      found.searchedUntil = data.searchTasks.searchedUntil;
    }
    setShown({ ...found, key });
    setFetching(false);
  }, [client, key, count]);
  useEffect(() => {
    void load();
    const turns = turn;
    return () => void turns.current++;
  }, [load]);
  useChangeEvents('task', () => void load());

  const current = shown?.key === key ? shown : undefined;
  return {
    pages: {
      nodes: current?.nodes ?? null,
      totalCount: current?.searchedUntil ? -1 : (current?.nodes.length ?? 0),
      hasMore: false,
      isFetching,
      problem,
      more: () => {},
      refetch: () => void load(),
    },
    searchOlder: current?.searchedUntil ? () => setSteps({ key, count: count + 1 }) : undefined,
  };
}
