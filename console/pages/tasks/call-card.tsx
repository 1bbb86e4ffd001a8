import { Alert, Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconHelpCircle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useMay } from '../../kit/me.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { ResolveCallDialog } from './resolve-call-dialog.tsx';
import { settlementNames } from '../../features/tasks/settlements.ts';
import { approvalStateName, callStateName } from '../../features/tasks/states.ts';
import type { Call, TaskApproval } from './task-query.ts';

interface Props {
  tool: string;
  /** Missing until the gate has recorded the call. */
  call?: Call;
  approvals: readonly TaskApproval[];
}

/** One call of a turn: the policy decision, approvals, and outcome. */
export function CallCard({ tool, call, approvals }: Props) {
  return (
    <div className="call-card">
      <Group justify="space-between" gap="xs" align="baseline">
        <Code>
          <Untrusted text={tool} />
        </Code>
        <StateBadge state={call?.state ?? 'requested'} label={callStateName(call?.state ?? 'requested')} />
      </Group>
      {call && (
        <Stack gap={4} mt={6}>
          <CallDecision call={call} />
          {approvals
            .filter(({ callId }) => callId === call.id)
            .map((approval) => (
              <ApprovalLine key={approval.id} approval={approval} />
            ))}
          {call.editedBy.length > 0 && <Text size="sm">An approver edited the arguments.</Text>}
          {call.taskGrantId && <Text size="sm">Allowed by a task grant, without an approval of its own.</Text>}
          {call.reason && (
            <Text size="sm">
              <Untrusted text={call.reason} />
            </Text>
          )}
          {call.state === 'unsettled' && <UnknownOutcome call={call} />}
          <Details call={call} />
        </Stack>
      )}
    </div>
  );
}

const decisionName = ({ state, steps }: Call): string => {
  if (steps.length) return 'Approval required';
  return state === 'denied' ? 'Denied' : 'Allowed';
};

function CallDecision({ call }: { call: Call }) {
  const { policyIds, policyRevision, attempts, endedAt, settlement } = call;
  return (
    <Text size="sm" c="dimmed">
      {policyIds.length ? (
        <>
          {decisionName(call)} by{' '}
          {policyIds.map((id, at) => (
            <span key={id}>
              {at > 0 && ', '}“<Untrusted text={id} />”
            </span>
          ))}
          {policyRevision !== null && `, revision ${policyRevision}`}
        </>
      ) : (
        'Denied: no policy allows this call'
      )}
      {attempts > 1 && ` · ${attempts} attempts`}
      {settlement && ` · ${settlementNames[settlement]}`}
      {endedAt && (
        <>
          {' · '}
          <When at={endedAt} />
        </>
      )}
    </Text>
  );
}

function ApprovalLine({
  approval: { id, stepName, state, decider, decidedAt, overriddenBy, viewerCanDecide },
}: {
  approval: TaskApproval;
}) {
  return (
    <Group gap="xs">
      <Anchor component={Link} to={`/approvals/${id}`} size="sm">
        Approval “{stepName}”
      </Anchor>
      <StateBadge
        state={overriddenBy ? 'overridden' : state}
        label={approvalLabel({ state, overriddenBy, viewerCanDecide })}
      />
      {decider && (
        <Text size="sm" c="dimmed">
          by <Untrusted text={decider.name ?? 'a former member'} />, <When at={decidedAt} />
        </Text>
      )}
    </Group>
  );
}

function approvalLabel({
  state,
  overriddenBy,
  viewerCanDecide,
}: Pick<TaskApproval, 'state' | 'overriddenBy' | 'viewerCanDecide'>): string {
  if (overriddenBy) return 'Overridden with break-glass rights';
  return state === 'pending' && viewerCanDecide ? 'Waiting for you' : approvalStateName(state);
}

function UnknownOutcome({ call }: { call: Call }) {
  const may = useMay();
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <Alert color="yellow" variant="light" icon={<IconHelpCircle aria-hidden />} title="Outcome unknown">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          The call was sent, but no response arrived. It is not retried automatically. Check the connected system, then
          resolve the call.
        </Text>
        {may('calls:settle') && (
          <Button size="compact-sm" variant="default" onClick={open}>
            Resolve call
          </Button>
        )}
      </Group>
      <ResolveCallDialog call={call} opened={isOpen} onClose={close} />
    </Alert>
  );
}

/** The arguments for people with access to the ledger; their redacted shape for others. */
function Details({ call: { id, arguments: canonical, redactedArguments } }: { call: Call }) {
  const may = useMay();
  const shown = canonical ?? (redactedArguments ? JSON.stringify(redactedArguments) : null);
  return (
    <details>
      <summary>{canonical ? 'Arguments' : 'Arguments (redacted)'}</summary>
      {shown && (
        <Code block style={{ whiteSpace: 'pre-wrap' }} mt={4}>
          <Untrusted text={pretty(shown)} />
        </Code>
      )}
      <Text size="xs" c="dimmed" mt={4}>
        Call {id}{' '}
        {may('tasks:read') && (
          <Anchor component={Link} to={`/calls/${id}`} inherit underline="always">
            View call
          </Anchor>
        )}
      </Text>
    </details>
  );
}

const pretty = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);
