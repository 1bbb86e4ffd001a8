import { Alert, Anchor, Button, Stack, Table, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconClock, IconListCheck } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { Facts } from '../../kit/facts.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { When } from '../../kit/when.tsx';
import { LabeledProgress, syncPercent, syncTotal } from './sync-line.tsx';
import { WebhookTokenAlert } from './webhook-token.tsx';

const query = graphql(`
  query IntegrationSource($connectionId: ID!) {
    knowledgeSource(connectionId: $connectionId) {
      connectionId
      state
      startedAt
      finishedAt
      completeAt
      nextAt
      failure
      seen
      expected
      isIncremental
      estimatedEndAt
      isHeld
      waitReason
      webhookTokenAt
      quota {
        limit
        remaining
        resetAt
      }
      changed
      removed
      documentCount
      passageCount
      problemCount
      problems {
        externalId
        reason
      }
    }
  }
`);

type Source = NonNullable<ResultOf<typeof query>['knowledgeSource']>;

/** The sync status of documents. */
export function KnowledgeSyncSection({ connectionId }: { connectionId: string }) {
  const [result, refetch] = useQuery({ query, variables: { connectionId } });
  useChangeEvents(['source', 'connection'], () => refetch({ requestPolicy: 'network-only' }), connectionId);
  return (
    <Loaded result={result} refetch={refetch}>
      {({ knowledgeSource: source }) => (
        <Section
          title="Knowledge"
          lead={
            source?.state === 'pushed'
              ? 'Your programs push these documents. There is nothing to sync.'
              : 'Each sync adds new documents, updates changed ones, and removes deleted ones.'
          }
          actions={source && source.state !== 'pushed' && <SyncButton connectionId={connectionId} />}
        >
          {source ? <SyncStatus of={source} /> : <Text size="sm">No sync yet. The first one starts in a moment.</Text>}
        </Section>
      )}
    </Loaded>
  );
}

const synchronize = graphql(`
  mutation SynchronizeSource($connectionId: ID!) {
    syncKnowledgeSource(input: { connectionId: $connectionId }) {
      connectionId
    }
  }
`);

function SyncButton({ connectionId }: { connectionId: string }) {
  const { send, isSending } = useChange(synchronize, { done: 'Sync started.', isLoud: true });
  return (
    <Button variant="default" loading={isSending} onClick={() => send({ connectionId })}>
      Sync now
    </Button>
  );
}

function SyncStatus({ of: source }: { of: Source }) {
  const { connectionId, state, completeAt, finishedAt, nextAt, documentCount, passageCount } = source;
  return (
    <Stack>
      {state === 'running' && <RunningSync of={source} />}
      {source.failure && state !== 'running' && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="Last sync failed">
          <Untrusted text={source.failure} /> Documents from earlier syncs stay searchable. The sync retries
          automatically.
        </Alert>
      )}
      {state === 'limited' && (
        <Alert color="yellow" icon={<IconClock aria-hidden />} title="The source asked to wait">
          <Untrusted text={source.waitReason ?? ''} /> The sync continues <When at={nextAt} />.
        </Alert>
      )}
      {source.isHeld && (
        <Alert color="yellow" icon={<IconListCheck aria-hidden />} title="Choose what to sync">
          The first sync starts when you save a choice in the{' '}
          <Anchor component={Link} to={`/integrations/${connectionId}/settings`} inherit underline="always">
            settings
          </Anchor>
          . To sync everything, select “Sync now”.
        </Alert>
      )}
      {source.webhookTokenAt && (
        <WebhookTokenAlert
          key={source.webhookTokenAt} // hides a shown token as soon as another one arrives
          connectionId={connectionId}
          receivedAt={source.webhookTokenAt}
        />
      )}
      <Facts
        facts={[
          [
            'Searchable',
            <>
              {count(documentCount)} documents in {count(passageCount)} passages ·{' '}
              <Anchor component={Link} to={`/knowledge/${connectionId}`} inherit underline="always">
                View documents
              </Anchor>
            </>,
          ],
          ['Last full sync', state !== 'pushed' && <When at={completeAt} never="None yet" />],
          ['Last sync', finishedAt && state !== 'running' && <LastSync of={source} />],
          ['Next sync', state !== 'pushed' && state !== 'running' && !source.isHeld && <When at={nextAt} />],
          ['In the source', source.expected !== null && `${count(source.expected)} documents`],
          ['Rate limit', source.quota && <RateLimit of={source.quota} />],
        ]}
      />
      {source.problemCount > 0 && <SkippedDocuments of={source} />}
    </Stack>
  );
}

const RateLimit = ({ of: { limit, remaining, resetAt } }: { of: NonNullable<Source['quota']> }) => (
  <>
    {count(remaining)} of {count(limit)} requests left, resets <When at={resetAt} />
  </>
);

const RunningSync = ({ of }: { of: Source }) => (
  <Stack gap={6} role="status">
    <Text size="sm">
      Syncing since <When at={of.startedAt} />: {count(of.seen)}
      {syncTotal(of) === null ? ' documents so far' : ` of about ${count(syncTotal(of)!)} documents`},{' '}
      {count(of.changed)} new or changed.
      {of.estimatedEndAt && (
        <>
          {' '}
          Expected to finish <When at={of.estimatedEndAt} />.
        </>
      )}
    </Text>
    <LabeledProgress share={syncPercent(of)} label="Synced documents" />
  </Stack>
);

const LastSync = ({ of: { finishedAt, seen, changed, removed } }: { of: Source }) => (
  <>
    <When at={finishedAt} />: {count(seen)} found, {count(changed)} new or changed, {count(removed)} removed
  </>
);

const SkippedDocuments = ({ of: { problemCount, problems } }: { of: Source }) => (
  <div>
    <Title order={3} mb="xs">
      {problemCount === 1 ? '1 skipped document' : `${count(problemCount)} skipped documents`}
    </Title>
    <Table aria-label="Skipped documents" withTableBorder>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Document</Table.Th>
          <Table.Th>Reason</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {problems.map(({ externalId, reason }) => (
          <Table.Tr key={externalId + reason}>
            <Table.Td>
              <Untrusted text={externalId} />
            </Table.Td>
            <Table.Td>
              <Untrusted text={reason} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
    {problemCount > problems.length && (
      <Text size="xs" c="dimmed" mt={4}>
        Showing the first {problems.length}.
      </Text>
    )}
  </div>
);
