import { Alert, Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconCheck, IconFingerprint, IconX } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { faultOf } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import type { Approval } from './approval-query.ts';
import './decision.css';
import { canGrant, TaskGrantFields, type TaskGrantTerms } from './task-grant-fields.tsx';
import { type Decided, useDecide } from './use-decide.ts';
import type { RevealedValues } from './use-revealed-values.ts';
import { useVisibleFor } from './use-visible-for.ts';

interface Props {
  approval: Approval;
  revealed: RevealedValues;
  /** Called after a decision. `message` says what was decided. */
  onDone(message: string): void;
  /** Called when the server rejects the decision, because the page is outdated. */
  onRejected(): void;
}

/** Unsent reasons by approval id. They survive a visit to another approval. */
const drafts = new Map<string, string>();

/** Approves the revealed call, or denies it with a reason. Stays visible while the page scrolls. */
export function Decision({ approval, revealed, onDone, onRejected }: Props) {
  const [reason, setReason] = useState(drafts.get(approval.id) ?? '');
  const [isDenying, setDenying] = useState(reason !== '');
  const [chosenTerms, setTerms] = useState<TaskGrantTerms | null>(null);
  // another approver may have declined the proposal meanwhile
  const terms = canGrant(approval) ? chosenTerms : null;
  const { send, problem, passkeyFault, isSending, forget } = useDecide(approval, onRejected);
  const sendDecision = async (decision: 'approve' | 'deny', reasonForDenial?: string) => {
    const more = decision === 'approve' ? { taskGrant: terms } : { reason: reasonForDenial };
    const decided = await send(decision, more);
    if (!decided) return;
    drafts.delete(approval.id);
    onDone(decisionMessage(approval, decided));
  };
  return (
    <Paper component="section" aria-label="Your decision" className="decision">
      {problem && !faultOf(problem, 'reason') && <ProblemNote problem={problem} />}
      {passkeyFault && (
        <Alert
          color="yellow"
          variant="light"
          icon={<IconFingerprint aria-hidden />}
          title="Passkey not used"
          role="alert"
          mb="md"
        >
          {passkeyFault}
        </Alert>
      )}
      {isDenying ? (
        <Deny
          reason={reason}
          fault={faultOf(problem, 'reason')}
          isSending={isSending}
          requiresPasskey={approval.requiresPasskey}
          onChange={(text) => {
            drafts.set(approval.id, text);
            setReason(text);
          }}
          onCancel={() => {
            forget();
            setDenying(false);
          }}
          onDeny={() => void sendDecision('deny', reason)}
        />
      ) : (
        <Choice
          grantFields={<TaskGrantFields approval={approval} terms={terms} onChange={setTerms} />}
          furtherCalls={terms?.maxUses ?? 0}
          isGrantValid={!terms || terms.equalArguments.length > 0 || approval.call.arguments === '{}'}
          revealed={revealed}
          isReadable={approval.call.arguments !== null}
          isSending={isSending}
          requiresPasskey={approval.requiresPasskey}
          onDeny={() => setDenying(true)}
          onApprove={() => void sendDecision('approve')}
        />
      )}
    </Paper>
  );
}

function decisionMessage(
  { call }: Approval,
  { state, reason, quorum, approvedBy, stepNumber, stepCount }: Decided,
): string {
  const title = visible(call.title);
  if (state === 'pending') return `Your approval counts: ${approvedBy.length} of ${quorum} for ${title}.`;
  if (state === 'void') return `Approval is void; nothing ran. ${reason ?? ''}`;
  if (state === 'approved' && stepNumber < stepCount)
    return `Approved: ${title}. Step ${stepNumber + 1} of ${stepCount} is next.`;
  return state === 'approved' ? `Approved: ${title}. It runs once, as shown.` : `Denied: ${title}.`;
}

interface ChoiceProps {
  grantFields: ReactNode;
  furtherCalls: number;
  isGrantValid: boolean;
  revealed: RevealedValues;
  isReadable: boolean;
  isSending: boolean;
  requiresPasskey: boolean;
  onApprove(): void;
  onDeny(): void;
}

const doubleClickMs = 600;

function Choice({
  grantFields,
  furtherCalls,
  isGrantValid,
  revealed,
  isReadable,
  isSending,
  requiresPasskey,
  onApprove,
  onDeny,
}: ChoiceProps) {
  const { hiddenCount, revealAll } = revealed;
  const approve = useRef<HTMLButtonElement>(null);
  const isReady = useVisibleFor(doubleClickMs);
  useHotkeys([
    ['a', () => approve.current?.focus()],
    ['d', onDeny],
    ['o', revealAll],
  ]);
  return (
    <Stack gap="sm">
      {isReadable && grantFields}
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed" id="what-approving-means" flex="1 1 14rem" role="status">
          {!isReadable
            ? "You can't approve this call, because its arguments can't be decrypted."
            : hiddenCount
              ? `To approve, first show ${hiddenCount === 1 ? 'the collapsed or hidden value' : `the ${hiddenCount} collapsed or hidden values`}.`
              : `The call runs once, exactly as shown. ${furtherCalls ? `Up to ${furtherCalls} further calls run without their own approval.` : 'Any other call needs its own approval.'}${requiresPasskey ? ' You sign your decision with your passkey.' : ''}`}
        </Text>
        <Group gap="xs" wrap="nowrap" className="decision-buttons">
          <Button variant="default" onClick={onDeny} disabled={isSending} leftSection={<IconX size={16} aria-hidden />}>
            Deny
          </Button>
          {hiddenCount > 0 ? (
            <Button ref={approve} onClick={revealAll} variant="light">
              {hiddenCount === 1 ? 'Show value' : `Show all ${hiddenCount}`}
            </Button>
          ) : (
            <Button
              ref={approve}
              onClick={onApprove}
              loading={isSending}
              disabled={!isReady || !isGrantValid || !isReadable}
              aria-describedby="what-approving-means"
              leftSection={
                requiresPasskey ? <IconFingerprint size={16} aria-hidden /> : <IconCheck size={16} aria-hidden />
              }
            >
              {requiresPasskey ? 'Approve with passkey' : 'Approve'}
            </Button>
          )}
        </Group>
      </Group>
    </Stack>
  );
}

interface DenyProps {
  reason: string;
  fault?: string;
  isSending: boolean;
  requiresPasskey: boolean;
  onChange(reason: string): void;
  onCancel(): void;
  onDeny(): void;
}

function Deny({ reason, fault, isSending, requiresPasskey, onChange, onCancel, onDeny }: DenyProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onDeny();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Textarea
          ref={field}
          label="Reason for denial"
          description="Shown to the requester."
          required
          autosize
          minRows={2}
          maxRows={6}
          maxLength={1000}
          value={reason}
          error={fault}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          onKeyDown={({ key }) => key === 'Escape' && onCancel()}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Back
          </Button>
          <Button type="submit" color="red" loading={isSending} disabled={!reason.trim()}>
            {requiresPasskey ? 'Deny with passkey' : 'Deny'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The reason that a person was writing when another person decided. */
export const draftOf = (id: string): string | undefined => drafts.get(id);
