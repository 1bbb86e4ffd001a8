import { Alert, Button, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUrgent } from '@tabler/icons-react';
import { graphql } from '../../api/graphql.ts';
import { ReasonForm } from '../../kit/reason-form.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import type { Approval } from './approval-query.ts';
import type { RevealedValues } from './use-revealed-values.ts';

const overrideApproval = graphql(`
  mutation OverrideApproval($input: OverrideApprovalInput!) {
    overrideApproval(input: $input) {
      id
      state
      reason
    }
  }
`);

interface Props {
  approval: Approval;
  revealed: RevealedValues;
  onDone(): void;
}

/** For members with break-glass rights: runs the call in an emergency, without its approvers. */
export function Override({ approval, revealed: { hiddenCount, revealAll }, onDone }: Props) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <Alert color="red" variant="light" icon={<IconUrgent aria-hidden />} title="Emergency">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 14rem">
          {hiddenCount
            ? 'You have break-glass rights. To override the approval, first show all values.'
            : 'You have break-glass rights. If the call can’t wait for its approvers, you can override this approval.'}
        </Text>
        {hiddenCount > 0 ? (
          <Button variant="default" onClick={revealAll}>
            Show all values
          </Button>
        ) : (
          <Button color="red" variant="light" onClick={dialog.open}>
            Override approval
          </Button>
        )}
      </Group>
      <Modal opened={isOpen} onClose={dialog.close} title={`Override the approval of ${visible(approval.call.title)}?`}>
        {isOpen && <OverrideForm approval={approval} onClose={dialog.close} onDone={onDone} />}
      </Modal>
    </Alert>
  );
}

function OverrideForm({ approval, onClose, onDone }: { approval: Approval; onClose(): void; onDone(): void }) {
  const { send, problem, isSending } = useChange(overrideApproval, {
    done: ({ overrideApproval: { state, reason: voidReason } }) =>
      state === 'approved' ? 'Approval overridden.' : `Approval is void; nothing ran. ${voidReason ?? ''}`,
    onDone: () => {
      onClose();
      onDone();
    },
  });
  const { id, call } = approval;
  const { argumentsHash, definitionHash } = call;
  return (
    <ReasonForm
      description="Why can’t the call wait? Shown to everyone who can see the approval."
      action="Override approval"
      isDestructive
      onCancel={onClose}
      problem={problem}
      isSending={isSending}
      onSubmit={(reason) => void send({ input: { id, reason, argumentsHash, definitionHash } })}
    >
      <Text size="sm">
        The call runs without its approvers, exactly as shown. All administrators and the approvers of the step are
        notified immediately. Another member has to review what you did.
      </Text>
    </ReasonForm>
  );
}
