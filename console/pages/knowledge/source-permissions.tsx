import { Alert, Anchor, List, Stack } from '@mantine/core';
import { IconAlertTriangle, IconClock, IconLock } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../api/change-events.ts';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Facts } from '../../kit/facts.tsx';
import { count } from '../../kit/figures.ts';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';

const query = graphql(`
  query SourceRoster($connectionId: ID!) {
    sourceRoster(connectionId: $connectionId) {
      connectionId
      completeAt
      nextAt
      failure
      waitReason
      isExpired
      accountCount
      groupCount
      audienceCount
      unmatchedAccountCount
      closedAudiences {
        title
        url
        rule
        documents
      }
      problems {
        externalId
        reason
      }
    }
  }
`);

type Roster = NonNullable<ResultOf<typeof query>['sourceRoster']>;

/** The permissions that were read from a source, and documents that cannot be found because of gaps in them. */
export function SourcePermissions({ connectionId }: { connectionId: string }) {
  const [{ data }, refetch] = useQuery({ query, variables: { connectionId } });
  useChangeEvents('source', () => refetch({ requestPolicy: 'network-only' }), connectionId);
  const roster = data?.sourceRoster;
  if (!roster) return null;
  return (
    <Section title="Permissions" lead="Members find only documents that their accounts can read in the source.">
      <Stack>
        <Warnings of={roster} />
        <Facts
          facts={[
            ['Last read', <When key="read" at={roster.completeAt} never="Not yet" />],
            ['Next read', <When key="next" at={roster.nextAt} />],
            ['Audiences', count(roster.audienceCount)],
            ['Groups', count(roster.groupCount)],
            [
              'Accounts',
              <>
                {count(roster.accountCount)}, {count(roster.unmatchedAccountCount)} unmatched ·{' '}
                <Anchor component={Link} to={`/knowledge/${connectionId}/accounts`} inherit underline="always">
                  View accounts
                </Anchor>
              </>,
            ],
          ]}
        />
        <ClosedAudiences of={roster} />
        {roster.problems.length > 0 && (
          <List size="sm">
            {roster.problems.slice(0, 20).map(({ externalId, reason }, at) => (
              <List.Item key={at}>
                <Untrusted text={externalId} /> {reason}.
              </List.Item>
            ))}
          </List>
        )}
      </Stack>
    </Section>
  );
}

const Warnings = ({ of: { failure, waitReason, isExpired, completeAt, nextAt } }: { of: Roster }) => (
  <>
    {failure && (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="Permissions could not be read">
        <Untrusted text={failure} /> The permissions from the last read apply until they are 24 hours old.
      </Alert>
    )}
    {waitReason && (
      <Alert color="yellow" icon={<IconClock aria-hidden />} title="The source asked to wait">
        <Untrusted text={waitReason} /> Permissions are read again <When at={nextAt} />.
      </Alert>
    )}
    {isExpired && completeAt && (
      <Alert color="red" icon={<IconLock aria-hidden />} title="Documents with permissions cannot be found">
        The permissions were last read more than 24 hours ago. Fix the integration so that they can be read again.
      </Alert>
    )}
  </>
);

const ClosedAudiences = ({ of: { closedAudiences } }: { of: Roster }) =>
  closedAudiences.length > 0 && (
    <Alert color="yellow" icon={<IconLock aria-hidden />} title="Some documents cannot be found">
      <List size="sm">
        {closedAudiences.map(({ title, rule, documents }, at) => (
          <List.Item key={at}>
            {title ? (
              <>
                <Untrusted text={title} />: the source does not disclose its readers. <Untrusted text={rule ?? ''} />
              </>
            ) : (
              'An audience that the source does not list'
            )}{' '}
            ({count(documents)} {documents === 1 ? 'document' : 'documents'})
          </List.Item>
        ))}
      </List>
    </Alert>
  );
