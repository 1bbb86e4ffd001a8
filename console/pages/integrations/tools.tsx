import { Group, SegmentedControl, Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { singlePage } from '../../kit/single-page.ts';
import { Empty } from '../../kit/empty.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { annotationNames, effectNames, isUnreviewed, ToolStatus } from '../../features/integrations/tool-status.tsx';

const query = graphql(`
  query IntegrationTools($id: ID!) {
    connection(id: $id) {
      id
      tools {
        id
        name
        title
        effect
        annotations
        isPendingReview
        operation
        confirmedAt
        pausedAt
        goneAt
      }
    }
  }
`);

type Tool = ResultOf<typeof query>['connection']['tools'][number];

const filters: Record<string, { label: string; has(tool: Tool): boolean }> = {
  all: { label: 'All', has: () => true },
  held: { label: 'Blocked', has: ({ isPendingReview, goneAt }) => isPendingReview && !goneAt },
  unread: { label: 'Unreviewed', has: isUnreviewed },
};

const columns: Column<Tool>[] = [
  {
    label: 'Tool',
    cell: ({ name, title }) => (
      <>
        <Untrusted text={title || name} />
        <Text size="xs" c="dimmed" ff="monospace" fw={400}>
          <Untrusted text={name} />
        </Text>
      </>
    ),
  },
  { label: 'Effect', cell: ({ effect }) => effectNames[effect], width: '9rem' },
  {
    label: 'Server annotations',
    cell: ({ annotations }) => annotationNames(annotations).join(', ') || '–',
    isMinor: true,
    width: '30%',
  },
  { label: 'Status', cell: (tool) => <ToolStatus of={tool} />, width: '14rem' },
];

export function Component() {
  const { id = '' } = useParams();
  const [show, setShow] = useFilter('show');
  const [result, refetch] = useQuery({ query, variables: { id } });
  useChangeEvents('connection', () => refetch({ requestPolicy: 'network-only' }));
  const chosen = show && show in filters ? show : 'all';
  return (
    <Loaded asked={result} again={refetch}>
      {({ connection: { tools } }) => (
        <>
          <Group mb="md">
            <SegmentedControl
              aria-label="Filter tools"
              value={chosen}
              onChange={(value) => setShow(value === 'all' ? null : value)}
              data={Object.entries(filters).map(([value, { label, has }]) => ({
                value,
                label: `${label} ${tools.filter(has).length}`,
              }))}
            />
          </Group>
          <Rows
            label="Tools"
            pages={singlePage(tools.filter(filters[chosen].has))}
            columns={columns}
            keyOf={({ id }) => id}
            to={(tool) => `/integrations/${id}/tools/${tool.id}`}
            empty={
              <Empty icon={IconTool} title={tools.length ? 'No matching tools' : 'No tools yet'}>
                {tools.length ? 'No tool is in this state.' : 'Tools appear after a connection test finds them.'}
              </Empty>
            }
          />
        </>
      )}
    </Loaded>
  );
}
