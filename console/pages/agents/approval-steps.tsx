import { Badge, Button, Group, Text } from '@mantine/core';
import { IconPlus, IconUserCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { useMay } from '../../kit/me.tsx';
import { singlePage } from '../../kit/single-page.ts';
import { Empty } from '../../kit/empty.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { ApprovalStepDialog } from './approval-step-dialog.tsx';
import { type ApprovalStep, approvalStepsQuery } from './approval-steps-query.ts';
import { duration } from '../../kit/duration.ts';

const groupsQuery = graphql(`
  query ApproverGroups {
    groups(first: 200) {
      nodes {
        id
        name
      }
    }
  }
`);

/** The steps that policies refer to in @approval: approvers, mode, and expiry. */
export function Component() {
  const may = useMay();
  const mayManage = may('policies:manage');
  const [result, refetch] = useQuery({ query: approvalStepsQuery });
  const [{ data }] = useQuery({ query: groupsQuery, pause: !may('members:manage') });
  const groups = data?.groups.nodes ?? [];
  const [edited, edit] = useState<ApprovalStep | 'new' | null>(null);
  useChangeEvents(['policy', 'organization'], () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ approvalSteps }) => (
        <>
          {mayManage && (
            <Group justify="flex-end" mb="md">
              <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => edit('new')}>
                Create step
              </Button>
            </Group>
          )}
          <Rows
            label="Approval steps"
            pages={singlePage(approvalSteps)}
            columns={columnsOf(groups, mayManage ? edit : undefined)}
            keyOf={({ name }) => name}
            empty={<Empty icon={IconUserCheck} title="No approval steps yet" />}
          />
          <ApprovalStepDialog step={edited} groups={groups} onClose={() => edit(null)} />
        </>
      )}
    </Loaded>
  );
}

const tierNames = { confirm: 'Confirm', review: 'Review' };

function columnsOf(
  groups: { id: string; name: string }[],
  edit?: (step: ApprovalStep) => void,
): Column<ApprovalStep>[] {
  const nameOf = (id: string) => groups.find((group) => group.id === id)?.name ?? 'Unknown group';
  return [
    {
      label: 'Step',
      cell: ({ name }) => (
        <Badge variant="default" ff="monospace" tt="none">
          {name}
        </Badge>
      ),
      width: '20%',
    },
    { label: 'Mode', cell: ({ tier }) => tierNames[tier] },
    {
      label: 'Approvers',
      cell: ({ approverGroupId: id, escalatesAfterSeconds: seconds, escalationGroupId }) => (
        <>
          {id ? <Untrusted text={nameOf(id)} /> : 'Administrators'}
          {seconds !== null && (
            <Text size="xs" c="dimmed">
              After {duration(seconds)} also{' '}
              {escalationGroupId ? <Untrusted text={nameOf(escalationGroupId)} /> : 'administrators'}
            </Text>
          )}
        </>
      ),
    },
    { label: 'Approvals', cell: ({ quorum }) => quorum, width: '7rem' },
    {
      label: 'Passkey',
      cell: ({ requiresPasskey, passkeyWarning }) => (
        <>
          {requiresPasskey ? 'Required' : 'Not required'}
          {passkeyWarning && (
            <Text size="xs" c="red">
              {passkeyWarning}
            </Text>
          )}
        </>
      ),
    },
    { label: 'In Slack', cell: ({ decidableInSlack }) => (decidableInSlack ? 'Yes' : 'No'), width: '6rem' },
    { label: 'Order', cell: ({ position }) => position, width: '5rem' },
    { label: 'Expires after', cell: ({ expiresAfterSeconds: seconds }) => duration(seconds), width: '9rem' },
    ...(edit
      ? [
          {
            label: 'Actions',
            cell: (step: ApprovalStep) => (
              <Button
                variant="subtle"
                size="compact-sm"
                aria-label={`Edit step ${step.name}`}
                onClick={() => edit(step)}
              >
                Edit
              </Button>
            ),
            width: '6rem',
          },
        ]
      : []),
  ];
}
