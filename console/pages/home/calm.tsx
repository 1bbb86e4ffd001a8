import { IconMoodCheck } from '@tabler/icons-react';
import { Empty } from '../../kit/empty.tsx';

export const Calm = () => (
  <Empty icon={IconMoodCheck} title="Nothing waits for you">
    Decisions to take, tasks that need somebody and integrations that are not well appear here by themselves.
  </Empty>
);
