import { Alert, Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconHelpCircle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useMay } from '../../app/me.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { Settle } from './settle.tsx';
import type { Call, TaskApproval } from './task-query.ts';

interface Props {
  tool: string;
  /** Missing where the gate has not seen it yet. */
  call?: Call;
  approvals: readonly TaskApproval[];
}

/** One call of a turn: what the policies said, who decided, what became of it. */
export function CallCard({ tool, call, approvals }: Props) {
  return (
    <div className="call-card">
      <Group justify="space-between" gap="xs" align="baseline">
        <Code>
          <Untrusted text={tool} />
        </Code>
        {call ? <StateBadge state={call.state} /> : <StateBadge state="requested" label="asked for" />}
      </Group>
      {call && (
        <Stack gap={4} mt={6}>
          <Verdict call={call} />
          {approvals
            .filter(({ callId }) => callId === call.id)
            .map((approval) => (
              <ApprovalLine key={approval.id} approval={approval} />
            ))}
          {call.reason && (
            <Text size="sm">
              <Untrusted text={call.reason} />
            </Text>
          )}
          {call.state === 'unsettled' && <Unsettled call={call} />}
          <Details call={call} />
        </Stack>
      )}
    </div>
  );
}

const verdictOn = ({ state, steps }: Call): string => {
  if (steps.length) return 'Approval asked for';
  return state === 'denied' ? 'Denied' : 'Allowed';
};

function Verdict({ call }: { call: Call }) {
  const { policyIds, policyRevision, attempts, endedAt, settlement } = call;
  return (
    <Text size="sm" c="dimmed">
      {policyIds.length ? (
        <>
          {verdictOn(call)} by{' '}
          {policyIds.map((id, at) => (
            <span key={id}>
              {at > 0 && ', '}“<Untrusted text={id} />”
            </span>
          ))}
          {policyRevision !== null && `, revision ${policyRevision}`}
        </>
      ) : (
        'No policy allowed it'
      )}
      {attempts > 1 && ` · sent ${attempts} times`}
      {settlement && ` · settled: ${settlement.replaceAll('_', ' ')}`}
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
  approval: { id, stepName, state, decider, decidedAt, isOpenToMe },
}: {
  approval: TaskApproval;
}) {
  return (
    <Group gap="xs">
      <Anchor component={Link} to={`/approvals/${id}`} size="sm">
        Approval “{stepName}”
      </Anchor>
      <StateBadge state={state} label={state === 'pending' && isOpenToMe ? 'waits for you' : undefined} />
      {decider && (
        <Text size="sm" c="dimmed">
          by <Untrusted text={decider.name ?? 'somebody who left'} />, <When at={decidedAt} />
        </Text>
      )}
    </Group>
  );
}

function Unsettled({ call }: { call: Call }) {
  const may = useMay();
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconHelpCircle aria-hidden />}
      title="Nobody knows whether it happened"
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">It is never sent again by itself. Look at the connected system, then say what you found.</Text>
        {may('calls:settle') && (
          <Button size="compact-sm" variant="default" onClick={open}>
            Settle it
          </Button>
        )}
      </Group>
      <Settle call={call} opened={isOpen} onClose={close} />
    </Alert>
  );
}

/** The arguments for those who may read the ledger's; their shape for everybody else. */
function Details({ call: { id, arguments: canonical, redactedArguments } }: { call: Call }) {
  const may = useMay();
  const shown = canonical ?? (redactedArguments ? JSON.stringify(redactedArguments) : null);
  return (
    <details>
      <summary>{canonical ? 'Arguments' : 'Arguments, without their text'}</summary>
      {shown && (
        <Code block style={{ whiteSpace: 'pre-wrap' }} mt={4}>
          <Untrusted text={pretty(shown)} />
        </Code>
      )}
      <Text size="xs" c="dimmed" mt={4}>
        Call {id}{' '}
        {may('audit:read') && (
          <Anchor component={Link} to={`/audit?subject=${id}`} inherit underline="always">
            in the audit log
          </Anchor>
        )}
      </Text>
    </details>
  );
}

const pretty = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);
