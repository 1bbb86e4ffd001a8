import { Button, List, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { NameSubstitute } from './name-substitute.tsx';

const query = graphql(`
  query Substitutions($memberId: ID) {
    substitutions(memberId: $memberId) {
      id
      startsAt
      endsAt
      substitute {
        name
      }
      createdBy
      namedBy {
        name
      }
      memberId
    }
  }
`);
const endSubstitution = graphql(`
  mutation EndSubstitution($input: EndSubstitutionInput!) {
    endSubstitution(input: $input) {
      id
    }
  }
`);
type Substitution = ResultOf<typeof query>['substitutions'][number];

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
/** The end is the midnight after the last day. */
const lastDayOf = ({ endsAt }: Substitution) => day.format(Date.parse(endsAt) - 1);
const nameOf = ({ substitute }: Substitution) => visible(substitute.name ?? 'Former member');

/** Who decides on approvals in place of a member. By default the person's own substitutes. */
export function Substitutes({ member }: { member?: { id: string; name: string } }) {
  const [result, execute] = useQuery({ query, variables: { memberId: member?.id ?? null } });
  const refetch = () => execute({ requestPolicy: 'network-only' });
  const [isNaming, setNaming] = useState(false);
  const [ending, setEnding] = useState<Substitution | null>(null);
  const end = useChange(endSubstitution, {
    done: 'Substitution ended.',
    onDone: () => {
      setEnding(null);
      refetch();
    },
  });
  useChangeEvents('organization', refetch);
  return (
    <Section
      title="Substitutes"
      lead={`A substitute can decide on approvals ${member ? 'in place of this member' : 'in your place'} on the days you choose. Requesters of a call can never decide on it.`}
      actions={
        <Button variant="default" onClick={() => setNaming(true)}>
          Name substitute
        </Button>
      }
    >
      <Loaded result={result} refetch={refetch}>
        {({ substitutions }) =>
          substitutions.length ? (
            <List listStyleType="none" spacing="xs" size="sm">
              {substitutions.map((one) => (
                <List.Item key={one.id}>
                  <Untrusted text={one.substitute.name ?? 'Former member'} />, {day.format(Date.parse(one.startsAt))} to{' '}
                  {lastDayOf(one)}
                  {one.createdBy !== one.memberId && (
                    <>
                      , named by <Untrusted text={one.namedBy.name ?? 'a former member'} />
                    </>
                  )}{' '}
                  <Button
                    variant="subtle"
                    size="compact-sm"
                    aria-label={`End substitution by ${nameOf(one)}`}
                    onClick={() => setEnding(one)}
                  >
                    End
                  </Button>
                </List.Item>
              ))}
            </List>
          ) : (
            <Text size="sm" c="dimmed">
              No substitutes. Name one before {member ? 'this member is' : 'you are'} away.
            </Text>
          )
        }
      </Loaded>
      <NameSubstitute
        opened={isNaming}
        memberId={member?.id ?? null}
        onClose={() => setNaming(false)}
        onDone={() => {
          setNaming(false);
          refetch();
        }}
      />
      <Confirm
        opened={ending !== null}
        onClose={() => setEnding(null)}
        title={ending ? `End substitution by ${nameOf(ending)}?` : ''}
        verb="End substitution"
        problem={end.problem}
        isSending={end.isSending}
        onConfirm={() => ending && end.send({ input: { id: ending.id } })}
      >
        Approvals they gave on calls that are still pending no longer count.
      </Confirm>
    </Section>
  );
}
