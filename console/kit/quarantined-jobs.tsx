import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql } from '../api/graphql.ts';
import { useMay } from './me.tsx';
import { count } from './figures.ts';
import { useChange } from './use-change.tsx';
import { When } from './when.tsx';

const query = graphql(`
  query QuarantinedJobs {
    quarantinedJobs {
      id
      task
      connectionId
      sourceId
      lostProcesses
      quarantinedAt
    }
  }
`);
const retryJob = graphql(`
  mutation RetryQuarantinedJob($id: ID!) {
    retryQuarantinedJob(input: { id: $id }) {
      id
    }
  }
`);

const names: Record<string, string | undefined> = {
  'approvals.reach': 'Check of who can decide approvals',
  'estate.compare': 'Check of the AI estate against the approved list',
  'estate.judge': 'Check of configuration files',
  'estate.scan': 'Scan of a folder',
  'gate.execute': 'Execution of an approved call',
  'gate.poll': 'Poll of a delegated task',
  'gate.settled': 'Completion of a call',
  'knowledge.sync': 'Knowledge sync',
  'notifications.deliver': 'Delivery of a notification',
  'notifications.intake': 'Preparation of notifications',
  'spend.budgets': 'Check of budgets',
  'spend.match': 'Matching of vendor accounts to people',
  'spend.settle': 'Calculation of spend reports',
  'spend.sync': 'Spend sync',
};

/** The organization's quarantined background jobs, or those of one integration or source of configuration files. */
export function QuarantinedJobs({ of }: { of?: { connectionId: string } | { sourceId: string } }) {
  return useMay()('connections:manage') ? <Jobs of={of} /> : null;
}

function Jobs({ of = {} }: { of?: { connectionId?: string; sourceId?: string } }) {
  const [result, refetch] = useQuery({ query });
  const retry = useChange(retryJob, {
    done: 'Job released. It runs again within a minute.',
    isLoud: true,
    onDone: () => refetch({ requestPolicy: 'network-only' }),
  });
  const jobs = (result.data?.quarantinedJobs ?? []).filter(
    ({ connectionId, sourceId }) =>
      (!of.connectionId || of.connectionId === connectionId) && (!of.sourceId || of.sourceId === sourceId),
  );
  if (!jobs.length) return null;
  return (
    <Alert color="red" variant="light" mb="lg" title={jobs.length === 1 ? 'Quarantined job' : 'Quarantined jobs'}>
      <Text size="sm" mb="sm">
        {jobs.length === 1
          ? 'Server processes crashed while this job ran. It doesn’t run again until you retry it.'
          : 'Server processes crashed while these jobs ran. They don’t run again until you retry them.'}
      </Text>
      <Stack gap="xs">
        {jobs.map(({ id, task, lostProcesses, quarantinedAt }) => (
          <Group key={id} justify="space-between">
            <Text size="sm">
              {names[task] ?? task}, crashed {count(lostProcesses)} processes, quarantined <When at={quarantinedAt} />
            </Text>
            <Button size="xs" variant="default" loading={retry.isSending} onClick={() => void retry.send({ id })}>
              Retry job
            </Button>
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}
