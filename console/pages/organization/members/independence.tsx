import { Alert, Button, List, Stack, Text } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { useNews } from '../../../api/live.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';
import type { Member } from './member.tsx';

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
  mutation VouchForMember($input: MemberInput!) {
    vouchForMember(input: $input) {
      id
    }
  }
`);
type Known = ResultOf<typeof query>['memberIndependence'];

/** Whose calls the member can't review, and who could change that. */
export function Independence({ member }: { member: Member }) {
  const [{ data }, again] = useQuery({ query, variables: { id: member.id } });
  const look = () => again({ requestPolicy: 'network-only' });
  const [isAsking, setAsking] = useState(false);
  const vouch = useChange(vouchForMember, {
    done: 'Vouch recorded.',
    onDone: () => {
      setAsking(false);
      look();
    },
  });
  useNews('organization', look);
  if (!data) return null;
  const { memberIndependence: known } = data;
  return (
    <Section
      title="Independence"
      lead="A member who depends on another can't review calls of that person: both accounts could be used by one person."
      actions={
        known.canVouch && (
          <Button variant="default" onClick={() => setAsking(true)}>
            Vouch for member
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <Dependence member={member} known={known} />
        <History known={known} />
      </Stack>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
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

const listed = new Intl.ListFormat('en');

function Dependence({ member, known: { dependsOn, canVouch } }: { member: Member; known: Known }) {
  if (!dependsOn.length)
    return (
      <Text size="sm">
        <Untrusted text={member.name} /> depends on nobody.
      </Text>
    );
  const names = listed.format(dependsOn.map(({ name }) => name ?? 'a former member'));
  return (
    <Alert color="yellow" variant="light" icon={<IconUsers aria-hidden />} title="Depends on other members">
      <Text size="sm">
        <Untrusted text={member.name} /> can't review calls of <Untrusted text={names} />.{' '}
        {canVouch
          ? 'If you know this person, vouch for them.'
          : 'Ask a member who does not depend on the same people to vouch for them, or the operator of the server to run '}
        {!canVouch && (
          <>
            <code style={{ overflowWrap: 'anywhere' }}>countersign admin vouch {visible(member.email)}</code>.
          </>
        )}
      </Text>
    </Alert>
  );
}

const did: Record<Known['introductions'][number]['kind'], string> = {
  invitation: 'Invited by',
  reset: 'Password reset by',
  provider: 'Sign-in provider configured by',
  reactivation: 'Reactivated by',
};

const History = ({ known: { introductions, vouches } }: { known: Known }) => (
  <List size="sm" spacing={2}>
    {!introductions.length && <List.Item>Admitted by the server operator.</List.Item>}
    {introductions.map(({ kind, by, at }) => (
      <List.Item key={`${kind} ${by.id} ${at}`}>
        {did[kind]} <Untrusted text={by.name ?? 'a former member'} />, <When at={at} />
      </List.Item>
    ))}
    {vouches.map(({ by, at }) => (
      <List.Item key={`vouch ${by?.id} ${at}`}>
        Vouched for by {by ? <Untrusted text={by.name ?? 'a former member'} /> : 'the operator of the server'},{' '}
        <When at={at} />
      </List.Item>
    ))}
  </List>
);
