import { Alert, Button, List, Stack, Text } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { useChangeEvents } from '../../../api/change-events.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';
import type { Member } from './member-query.ts';

const query = graphql(`
  query MemberIndependence($id: ID!) {
    memberIndependence(id: $id) {
      memberId
      introductions {
        kind
        at
        by {
          id
          name
        }
      }
      vouches {
        at
        by {
          id
          name
        }
      }
      dependsOn {
        id
        name
      }
      canVouch
    }
  }
`);
const vouchForMember = graphql(`
  mutation IndependenceVouch($input: MemberInput!) {
    vouchForMember(input: $input) {
      id
    }
  }
`);
type MemberIndependence = ResultOf<typeof query>['memberIndependence'];

/** The members whose calls this member can't review, and who can vouch for them. */
export function Independence({ member }: { member: Member }) {
  const [{ data }, execute] = useQuery({ query, variables: { id: member.id } });
  const refetch = () => execute({ requestPolicy: 'network-only' });
  const [isVouching, setVouching] = useState(false);
  const vouch = useChange(vouchForMember, {
    done: 'Vouch recorded.',
    onDone: () => {
      setVouching(false);
      refetch();
    },
  });
  useChangeEvents('organization', refetch);
  if (!data) return null;
  const { memberIndependence: independence } = data;
  return (
    <Section
      title="Independence"
      lead="A member who depends on another member can't review that member's calls, because one person could control both accounts."
      actions={
        independence.canVouch && (
          <Button variant="default" onClick={() => setVouching(true)}>
            Vouch for member
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <Dependence member={member} independence={independence} />
        <History independence={independence} />
      </Stack>
      <Confirm
        opened={isVouching}
        onClose={() => setVouching(false)}
        title={`Vouch for ${visible(member.name)}?`}
        verb="Vouch for member"
        problem={vouch.problem}
        isSending={vouch.isSending}
        onConfirm={() => vouch.send({ input: { memberId: member.id } })}
      >
        <Text size="sm">
          You confirm that you know this person and that nobody else can sign in to their account. They can then review
          calls of the people they depend on now, except your own calls and those of people whom you depend on. The
          audit log records the vouch in your name.
        </Text>
      </Confirm>
    </Section>
  );
}

const listFormat = new Intl.ListFormat('en');

function Dependence({
  member,
  independence: { dependsOn, canVouch },
}: {
  member: Member;
  independence: MemberIndependence;
}) {
  if (!dependsOn.length)
    return (
      <Text size="sm">
        <Untrusted text={member.name} /> does not depend on other members.
      </Text>
    );
  const names = listFormat.format(dependsOn.map(({ name }) => name ?? 'a former member'));
  return (
    <Alert color="yellow" variant="light" icon={<IconUsers aria-hidden />} title="Depends on other members">
      <Text size="sm">
        <Untrusted text={member.name} /> can't review calls of <Untrusted text={names} />.{' '}
        {canVouch
          ? 'If you know this person, vouch for them.'
          : 'Ask a member who does not depend on the same people to vouch for them, or ask the server operator to run '}
        {!canVouch && (
          <>
            <code style={{ overflowWrap: 'anywhere' }}>countersign-operator admin vouch {visible(member.email)}</code>.
          </>
        )}
      </Text>
    </Alert>
  );
}

const introductionLabels: Record<MemberIndependence['introductions'][number]['kind'], string> = {
  invitation: 'Invited by',
  reset: 'Password reset by',
  provider: 'Sign-in provider configured by',
  reactivation: 'Reactivated by',
};

const History = ({ independence: { introductions, vouches } }: { independence: MemberIndependence }) => (
  <List size="sm" spacing={2}>
    {!introductions.length && <List.Item>Added by the server operator.</List.Item>}
    {introductions.map(({ kind, by, at }) => (
      <List.Item key={`${kind} ${by.id} ${at}`}>
        {introductionLabels[kind]} <Untrusted text={by.name ?? 'a former member'} />, <When at={at} />
      </List.Item>
    ))}
    {vouches.map(({ by, at }) => (
      <List.Item key={`vouch ${by?.id} ${at}`}>
        Vouched for by {by ? <Untrusted text={by.name ?? 'a former member'} /> : 'the server operator'},{' '}
        <When at={at} />
      </List.Item>
    ))}
  </List>
);
