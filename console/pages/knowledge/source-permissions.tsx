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

/** What a source tells about its permissions, and what nobody can find because of gaps. */
export function SourcePermissions({ connectionId }: { connectionId: string }) {
  const [{ data }, again] = useQuery({ query, variables: { connectionId } });
  useChangeEvents('source', () => again({ requestPolicy: 'network-only' }), connectionId);
  const roster = data?.sourceRoster;
  if (!roster) return null;
  return (
    <Section title="Permissions" lead="People find what their account may read in the source.">
      <Stack>
        <Warnings of={roster} />
        <Facts
          facts={[
            ['Read', <When key="read" at={roster.completeAt} never="Not yet" />],
            ['Next', <When key="next" at={roster.nextAt} />],
            ['Audiences', count(roster.audienceCount)],
            ['Groups', count(roster.groupCount)],
            [
              'Accounts',
              <>
                {count(roster.accountCount)}, {count(roster.unmatchedAccountCount)} without a member ·{' '}
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
        <Untrusted text={failure} /> The permissions of the last time apply for 24 hours.
      </Alert>
    )}
    {waitReason && (
      <Alert color="yellow" icon={<IconClock aria-hidden />} title="The source asked to wait">
        <Untrusted text={waitReason} /> Permissions are read again <When at={nextAt} />.
      </Alert>
    )}
    {isExpired && completeAt && (
      <Alert color="red" icon={<IconLock aria-hidden />} title="Nobody finds these documents">
        The permissions were last read more than 24 hours ago.
      </Alert>
    )}
  </>
);

const ClosedAudiences = ({ of: { closedAudiences } }: { of: Roster }) =>
  closedAudiences.length > 0 && (
    <Alert color="yellow" icon={<IconLock aria-hidden />} title="Documents that nobody can find">
      <List size="sm">
        {closedAudiences.map(({ title, rule, documents }, at) => (
          <List.Item key={at}>
            {title ? (
              <>
                <Untrusted text={title} />: the source does not tell who may read it. <Untrusted text={rule ?? ''} />
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
