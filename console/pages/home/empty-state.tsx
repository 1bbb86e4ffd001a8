import { Box } from '@mantine/core';
import { IconMoodCheck } from '@tabler/icons-react';
import { Empty } from '../../kit/empty.tsx';

export const EmptyState = () => (
  <Box mb="lg">
    <Empty icon={IconMoodCheck} title="Nothing needs your attention">
      Pending approvals, tasks that require input, and failing integrations appear here.
    </Empty>
  </Box>
);
