import { Anchor, Button, Code, Group, Paper, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { When } from '../../../kit/when.tsx';
import type { OpenProposal } from './proposals-query.ts';

interface Props {
  proposal: OpenProposal;
  mayManage: boolean;
  hasDraft: boolean;
  isDirty: boolean;
  isSending: boolean;
  onAdd(): void;
  onDismiss(): void;
}

/** One proposal: the call, the permit, and the approvals behind it. */
export function ProposalCard({ proposal, mayManage, hasDraft, isDirty, isSending, onAdd, onDismiss }: Props) {
  const { tool, principalName, principalKind, stepName, permit, approvals } = proposal;
  return (
    <Paper component="article" withBorder p="md" aria-label={`Permit for ${tool}`}>
      <Stack gap="sm">
        <Text size="sm">
          <Code>
            <Untrusted text={tool} />
          </Code>{' '}
          by {principalKind === 'agent' && 'the agent '}
          <Untrusted text={principalName ?? 'a removed caller'} />, approved in step “<Untrusted text={stepName} />”
        </Text>
        {permit.text === null ? (
          <Text size="sm" c="dimmed">
            This proposal no longer applies: {permit.obstacle}
          </Text>
        ) : (
          <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            <Untrusted text={permit.text} />
          </Code>
        )}
        <Disclosure label={`Show ${approvals.length} approvals`} openLabel={`Hide ${approvals.length} approvals`}>
          <Stack component="ol" gap={4} mt="xs" mb={0} pl="lg">
            {approvals.map(({ id, decidedAt, deciderName }) => (
              <Text component="li" size="sm" key={id}>
                <Anchor component={Link} to={`/approvals/${id}?show=decided`} inherit>
                  Approved by <Untrusted text={deciderName ?? 'an erased member'} />
                </Anchor>{' '}
                <When at={decidedAt} />
              </Text>
            ))}
          </Stack>
        </Disclosure>
        {mayManage && (
          <Group gap="xs">
            <Button size="xs" disabled={permit.text === null || isDirty || isSending} onClick={onAdd}>
              {hasDraft ? 'Add to draft' : 'Create draft'}
            </Button>
            <Button size="xs" variant="default" disabled={isSending} onClick={onDismiss}>
              Dismiss
            </Button>
            {isDirty && (
              <Text size="xs" c="dimmed">
                Save or discard your changes first.
              </Text>
            )}
          </Group>
        )}
      </Stack>
    </Paper>
  );
}
