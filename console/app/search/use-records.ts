import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { useMay } from '../../kit/me.tsx';
import { shownState } from '../../features/tasks/states.ts';
import { type ResultGroup, resultsPerGroup } from './results.ts';

const query = graphql(`
  query SearchRecords(
    $text: String!
    $first: Int!
    $withPeople: Boolean!
    $withIntegrations: Boolean!
    $withConfigurations: Boolean!
  ) {
    searchTasks(input: { text: $text }) {
      nodes {
        id
        externalId
        question
        state
        isQuarantined
      }
    }
    members(search: $text, first: $first) @include(if: $withPeople) {
      nodes {
        id
        name
        email
      }
    }
    connections(search: $text, first: $first) @include(if: $withIntegrations) {
      nodes {
        id
        name
        slug
      }
    }
    configurations(search: $text, first: $first) @include(if: $withConfigurations) {
      nodes {
        id
        name
      }
    }
  }
`);

interface Answer {
  text: string;
  groups: ResultGroup[];
  problem: Problem | null;
}

const typingMs = 200;

/** The records that match the text, once the person stops typing. Null while they are loading. */
export function useRecords(text: string): { answer: Answer | null; refetch(): void } {
  const client = useClient();
  const may = useMay();
  const withPeople = may('members:manage');
  const withIntegrations = may('connections:manage');
  const withConfigurations = may('policies:read');
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!text) return;
    const variables = { text, first: resultsPerGroup, withPeople, withIntegrations, withConfigurations };
    let request: { unsubscribe(): void } | undefined;
    const timer = setTimeout(() => {
      request = client
        .query(query, variables, { requestPolicy: 'network-only' })
        .subscribe(({ data, error }) =>
          setAnswer({ text, groups: data ? groupsOf(data) : [], problem: error ? problemOf(error) : null }),
        );
    }, typingMs);
    return () => {
      clearTimeout(timer);
      request?.unsubscribe();
    };
  }, [client, text, attempt, withPeople, withIntegrations, withConfigurations]);
  return {
    answer: answer?.text === text ? answer : null,
    refetch: () => {
      setAnswer(null);
      setAttempt(attempt + 1);
    },
  };
}

const groupsOf = ({ searchTasks, members, connections, configurations }: ResultOf<typeof query>): ResultGroup[] => [
  {
    label: 'Tasks',
    results: searchTasks.nodes.slice(0, resultsPerGroup).map((task) => ({
      to: `/tasks/${task.id}`,
      name: task.question ?? task.externalId,
      detail: shownState(task).label,
    })),
  },
  {
    label: 'People',
    results: (members?.nodes ?? []).map(({ id, name, email }) => ({
      to: `/organization/members/${id}`,
      name,
      detail: email,
    })),
  },
  {
    label: 'Integrations',
    results: (connections?.nodes ?? []).map(({ id, name, slug }) => ({
      to: `/integrations/${id}`,
      name,
      detail: slug,
    })),
  },
  {
    label: 'Configurations',
    results: (configurations?.nodes ?? []).map(({ id, name }) => ({
      to: `/agents/capabilities/configurations/${id}`,
      name,
    })),
  },
];
