import { List, Text } from '@mantine/core';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { visible } from '../../kit/visible.ts';

interface Candidate {
  id: string;
  name: string | null;
  substituteFor: string | null;
  mayDecide: boolean;
  reason: string | null;
  nextStep: string | null;
}

const names = new Intl.ListFormat('en');
const nameOf = ({ name, substituteFor }: Candidate) =>
  `${name ?? 'Former member'}${substituteFor ? ` (for ${substituteFor})` : ''}`;

/** The other approvers of the step: who can decide, and why the others can't. */
export function Candidates({ candidates }: { candidates: readonly Candidate[] }) {
  const able = candidates.filter(({ mayDecide }) => mayDecide);
  const others = candidates.filter(({ mayDecide }) => !mayDecide);
  return (
    <>
      <Text size="sm" fw={500}>
        {able.length
          ? `${names.format(able.map((one) => visible(nameOf(one))))} can decide.`
          : 'Nobody else can decide.'}
      </Text>
      {others.length > 0 && (
        <Disclosure
          label={
            others.length === 1
              ? "Why 1 other approver can't decide"
              : `Why ${others.length} other approvers can't decide`
          }
        >
          <List size="sm" spacing={4} mt="xs" aria-label="Approvers who can't decide">
            {others.map((one) => (
              <List.Item key={one.id}>
                <Text span size="sm" fw={500}>
                  <Untrusted text={nameOf(one)} />
                </Text>
                {': '}
                <Untrusted text={[one.reason, one.nextStep].filter(Boolean).join(' ')} />
              </List.Item>
            ))}
          </List>
        </Disclosure>
      )}
    </>
  );
}
