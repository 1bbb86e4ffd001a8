import { Group, SegmentedControl, Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import { singlePage } from '../../kit/single-page.ts';
import { Empty } from '../../kit/empty.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { annotationNames, effectNames, isUnreviewed, ToolStatus } from '../../features/integrations/tool-status.tsx';
import { AfterReview } from './after-review.tsx';
import { ReviewTools } from './review-tools.tsx';
import { isBlocked, isNew, needsReview, type Tool, useTools } from './tools-query.ts';

const filters: Record<string, { label: string; has(tool: Tool): boolean }> = {
  all: { label: 'All', has: () => true },
  held: { label: 'Blocked', has: isBlocked },
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
  const [result, refetch] = useTools(id);
  return (
    <Loaded result={result} refetch={refetch}>
      {({ connection: { tools } }) => <Tools key={id} connectionId={id} tools={tools} />}
    </Loaded>
  );
}

function Tools({ connectionId, tools }: { connectionId: string; tools: readonly Tool[] }) {
  const [show, setShow] = useFilter('show');
  const [confirmedCount, setConfirmedCount] = useState(0);
  const chosen = show && show in filters ? show : 'all';
  const matching = tools.filter(filters[chosen].has);
  const toReview = matching.filter(isNew);
  const others = matching.filter((tool) => !isNew(tool));
  const isDone = confirmedCount > 0 && !tools.some(needsReview);
  return (
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
      {isDone && <AfterReview connectionId={connectionId} />}
      {toReview.length > 0 && (
        <ReviewTools
          connectionId={connectionId}
          tools={toReview}
          onConfirmed={(count) => setConfirmedCount(confirmedCount + count)}
        />
      )}
      {(others.length > 0 || (!toReview.length && !isDone)) && (
        <Rows
          label="Tools"
          pages={singlePage(others)}
          columns={columns}
          keyOf={({ id }) => id}
          to={(tool) => `/integrations/${connectionId}/tools/${tool.id}`}
          empty={
            <Empty icon={IconTool} title={tools.length ? 'No matching tools' : 'No tools yet'}>
              {tools.length ? 'No tool is in this state.' : 'Tools appear after a connection test finds them.'}
            </Empty>
          }
        />
      )}
    </>
  );
}
