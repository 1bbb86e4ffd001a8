import { Alert, Box, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconEyeOff } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { Navigate, useNavigate, useOutletContext, useParams } from 'react-router';
import { useQuery } from 'urql';
import { TaskGrantCard } from '../../features/approvals/task-grant-card.tsx';
import { useChangeEvents } from '../../api/change-events.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { ArgumentEdits } from './argument-edits.tsx';
import { Arguments } from './arguments.tsx';
import { type Approval, approvalQuery } from './approval-query.ts';
import { Decision } from './decision.tsx';
import { Definition } from './definition.tsx';
import { PasskeyEvidence } from './passkey-evidence.tsx';
import { EditArguments } from './edit-arguments.tsx';
import { PastDecisions } from './past-decisions.tsx';
import { Requester, CallDetails } from './call-details.tsx';
import type { InboxContext } from './inbox.tsx';
import { CallEffect } from './inbox-item.tsx';
import { CannotDecide, DecisionOutcome, QuorumProgress } from './decision-outcome.tsx';
import { Override } from './override.tsx';
import { OverrideReview } from './override-review.tsx';
import { StepSequence } from './step-sequence.tsx';
import { useRecordedView } from './use-recorded-view.ts';
import { useRevealedValues } from './use-revealed-values.ts';

export function Component() {
  const { id } = useParams();
  // revealed values and drafts belong to one approval
  return <ApprovalLoader key={id} id={id!} />;
}

function ApprovalLoader({ id }: { id: string }) {
  const [result, refetch] = useQuery({ query: approvalQuery, variables: { id } });
  const refetchNow = () => refetch({ requestPolicy: 'network-only' });
  useChangeEvents(['approval', 'call'], refetchNow);
  const [show] = useFilter('show');
  // a call that waits is not among the decided ones
  if (show === 'decided' && result.data?.approval.state === 'pending')
    return <Navigate to={`/approvals/${id}`} replace />;
  return (
    <Loaded result={result} refetch={refetch}>
      {({ approval }) => <ApprovalView approval={approval} refetch={refetchNow} />}
    </Loaded>
  );
}

function ApprovalView({ approval, refetch }: { approval: Approval; refetch(): void }) {
  const { call, state, viewerCanDecide, isEditable } = approval;
  const navigate = useNavigate();
  const [wantsToEdit, setEditing] = useState(false);
  const isReadable = call.arguments !== null;
  const canEdit = viewerCanDecide && isEditable && isReadable;
  const isEditing = wantsToEdit && canEdit;
  const { goToNext } = useOutletContext<InboxContext>();
  const revealed = useRevealedValues(call.arguments);
  useRecordedView(approval);
  const heading = useRef<HTMLHeadingElement>(null);
  // the previously focused element is gone, so move the focus to the heading
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Stack gap="md">
      <Paper p="lg">
        <Stack gap="lg">
          <Box>
            <Group gap="sm" mb={4}>
              <Title order={2} ref={heading} tabIndex={-1}>
                <Untrusted text={call.title} />
              </Title>
              <CallEffect effect={call.effect} />
            </Group>
            <Text size="sm">
              <Code>
                <Untrusted text={call.tool} />
              </Code>{' '}
              requested by <Requester approval={approval} />
            </Text>
          </Box>
          <DecisionOutcome approval={approval} />
          {approval.override && <OverrideReview override={approval.override} onDone={refetch} />}
          <StepSequence approval={approval} />
          {state === 'pending' && approval.quorum > 1 && <QuorumProgress approval={approval} />}
          {state === 'pending' && !viewerCanDecide && <CannotDecide approval={approval} />}
          {approval.viewerCanOverride && isReadable && !isEditing && (
            <Override approval={approval} revealed={revealed} onDone={refetch} />
          )}
          <Warnings approval={approval} />
          <ArgumentEdits call={call} />
          {isEditing ? (
            <EditArguments
              approval={approval}
              onCancel={() => setEditing(false)}
              onSaved={(message, approvalId) => {
                notifications.show({ message, color: 'sign' });
                void navigate(`/approvals/${approvalId ?? approval.id}`);
                refetch();
              }}
            />
          ) : (
            <Arguments call={call} revealed={revealed} onEdit={canEdit ? () => setEditing(true) : undefined} />
          )}
          {approval.taskGrant && (
            <Box component="section" aria-labelledby="further-calls">
              <Title order={3} id="further-calls" mb="xs">
                Further calls in this task
              </Title>
              <TaskGrantCard grant={approval.taskGrant} />
            </Box>
          )}
          <CallDetails approval={approval} />
          <Definition call={call} />
          <PasskeyEvidence approval={approval} />
          <PastDecisions approval={approval} />
        </Stack>
      </Paper>
      {viewerCanDecide && !isEditing && (
        <Decision approval={approval} revealed={revealed} onDone={goToNext} onRejected={refetch} />
      )}
    </Stack>
  );
}

const Warnings = ({ approval: { selfApproved, call } }: { approval: Approval }) => (
  <>
    {call.tainted && (
      <Alert
        color="yellow"
        variant="light"
        icon={<IconAlertTriangle aria-hidden />}
        title="Caller read external content"
      >
        <Text size="sm">
          The caller read external content before this request. That content may have contained instructions to make it.
        </Text>
      </Alert>
    )}
    {selfApproved && (
      <Alert color="yellow" variant="light" icon={<IconEyeOff aria-hidden />} title="Self-approval">
        <Text size="sm">The approver requested this call or is responsible for it. No other person reviews it.</Text>
      </Alert>
    )}
  </>
);
