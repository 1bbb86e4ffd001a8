import { SegmentedControl } from '@mantine/core';
import { useParams } from 'react-router';
import { useFilter } from '../../kit/use-filter.ts';
import { Calls } from './activity-calls.tsx';
import { Tasks } from './activity-tasks.tsx';

const views = [
  { value: 'calls', label: 'Tool calls' },
  { value: 'tasks', label: 'Tasks' },
];

/** The tool calls and tasks of this configuration. */
export function Component() {
  const { id = '' } = useParams();
  const [view, show] = useFilter('show');
  return (
    <>
      <SegmentedControl
        aria-label="View"
        data={views}
        value={view === 'tasks' ? 'tasks' : 'calls'}
        onChange={(chosen) => show(chosen === 'tasks' ? chosen : null)}
        mb="md"
      />
      {view === 'tasks' ? <Tasks configurationId={id} /> : <Calls configurationId={id} />}
    </>
  );
}
