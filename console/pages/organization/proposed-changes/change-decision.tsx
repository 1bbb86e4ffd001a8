import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { ReasonForm } from '../../../kit/reason-form.tsx';
import { Section } from '../../../kit/section.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { type Change, confirmChange, declineChange, withdrawChange } from './change-query.ts';

interface Props {
  change: Change;
  isProposer: boolean;
  onDone(): void;
}

export function ChangeDecision({ change, isProposer, onDone }: Props) {
  const [isDeclining, declining] = useDisclosure();
  const confirming = useChange(confirmChange, {
    onDone: ({ confirmProposedChange: { state } }) => {
      notifications.show(
        state === 'confirmed'
          ? { message: 'Change confirmed and applied.', color: 'sign' }
          : { message: 'The change is outdated, so nothing was applied.', color: 'red' },
      );
      onDone();
    },
    onRefused: onDone,
  });
  const withdrawing = useChange(withdrawChange, { done: 'Change withdrawn.', onDone });
  const problem = confirming.problem ?? withdrawing.problem;
  const input = { id: change.id };
  return (
    <Section title="Decision">
      <Stack gap="sm">
        {problem && <ProblemNote problem={problem} />}
        <Text size="sm">
          {change.confirmationRefusal ?? 'Confirm only if you understand the differences and agree with the reason.'}
        </Text>
        <Group>
          {change.confirmationRefusal === null && (
            <Button loading={confirming.isSending} onClick={() => confirming.send({ input })}>
              Confirm change
            </Button>
          )}
          {isProposer ? (
            <Button variant="default" loading={withdrawing.isSending} onClick={() => withdrawing.send({ input })}>
              Withdraw change
            </Button>
          ) : (
            <Button variant="default" onClick={declining.open}>
              Decline change
            </Button>
          )}
        </Group>
      </Stack>
      <Modal opened={isDeclining} onClose={declining.close} title="Decline change?">
        {isDeclining && <DeclineForm id={change.id} onClose={declining.close} onDone={onDone} />}
      </Modal>
    </Section>
  );
}

function DeclineForm({ id, onClose, onDone }: { id: string; onClose(): void; onDone(): void }) {
  const { send, problem, isSending } = useChange(declineChange, {
    done: 'Change declined.',
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <ReasonForm
      description="The administrator who proposed the change reads it."
      action="Decline change"
      isDestructive
      onCancel={onClose}
      problem={problem}
      isSending={isSending}
      onSubmit={(reason) => void send({ input: { id, reason } })}
    />
  );
}
