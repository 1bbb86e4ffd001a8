import { List, Text } from '@mantine/core';
import { Untrusted } from '../../kit/untrusted.tsx';

interface Candidate {
  id: string;
  name: string | null;
  mayDecide: boolean;
  reason: string | null;
  nextStep: string | null;
}

/** Everybody else whom the approval step names, and why some of them can't decide. */
export const Candidates = ({ candidates }: { candidates: readonly Candidate[] }) => (
  <List size="sm" spacing={4} aria-label="Approvers">
    {candidates.map(({ id, name, mayDecide, reason, nextStep }) => (
      <List.Item key={id}>
        <Text span size="sm" fw={500}>
          <Untrusted text={name ?? 'Former member'} />
        </Text>
        {mayDecide ? ' can decide.' : " can't decide. "}
        {!mayDecide && <Untrusted text={[reason, nextStep].filter(Boolean).join(' ')} />}
      </List.Item>
    ))}
  </List>
);
