import { Alert, Anchor, Button, Stack, Table, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useNews } from '../../api/live.ts';
import { Facts } from '../../kit/facts.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { When } from '../../kit/when.tsx';
import { Bar, shareRead } from './reading-line.tsx';

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

/** How far the documents of an integration are read. */
export function SourceSection({ connectionId }: { connectionId: string }) {
  const [asked, again] = useQuery({ query, variables: { connectionId } });
  useNews(['source', 'connection'], () => again({ requestPolicy: 'network-only' }), connectionId);
  return (
    <Loaded asked={asked} again={again}>
      {({ knowledgeSource: source }) => (
        <Section
          title="Knowledge"
          lead={
            source?.state === 'pushed'
              ? 'Your own programs send these documents; nothing is read from here.'
              : 'What is new or changed is taken over, what is gone is forgotten.'
          }
          actions={source && source.state !== 'pushed' && <Synchronize connectionId={connectionId} />}
        >
          {source ? <Reading of={source} /> : <Text size="sm">Nothing is read from it yet.</Text>}
        </Section>
      )}
    </Loaded>
  );
}

const synchronize = graphql(`
  mutation SynchronizeSource($connectionId: ID!) {
    synchronizeSource(input: { connectionId: $connectionId }) {
      connectionId
    }
  }
`);

function Synchronize({ connectionId }: { connectionId: string }) {
  const { send, isSending } = useChange(synchronize, { done: 'It is read in a moment.', isLoud: true });
  return (
    <Button variant="default" loading={isSending} onClick={() => send({ connectionId })}>
      Synchronize now
    </Button>
  );
}

function Reading({ of: source }: { of: Source }) {
  const { connectionId, state, completeAt, finishedAt, nextAt, documentCount, passageCount } = source;
  return (
    <Stack>
      {state === 'running' && <UnderWay of={source} />}
      {source.failure && state !== 'running' && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="The last reading broke off">
          <Untrusted text={source.failure} /> What was known before is still found. It is tried again by itself.
        </Alert>
      )}
      <Facts
        facts={[
          [
            'Can be found',
            <>
              {count(documentCount)} documents in {count(passageCount)} passages ·{' '}
              <Anchor component={Link} to={`/knowledge/${connectionId}`} inherit underline="always">
                See them
              </Anchor>
            </>,
          ],
          ['Read to the end', state !== 'pushed' && <When at={completeAt} never="not yet" />],
          ['The last run', finishedAt && state !== 'running' && <LastRun of={source} />],
          ['The next one', state !== 'pushed' && state !== 'running' && <When at={nextAt} />],
        ]}
      />
      {source.problemCount > 0 && <Problems of={source} />}
    </Stack>
  );
}

const UnderWay = ({ of }: { of: Source }) => (
  <Stack gap={6} role="status">
    <Text size="sm">
      Reading since <When at={of.startedAt} />: {count(of.seen)}
      {shareRead(of) === null
        ? ' documents so far'
        : ` of about ${count(Math.max(of.seen, of.documentCount))} documents`}
      , {count(of.changed)} new or changed.
    </Text>
    <Bar share={shareRead(of)} label="Documents read" />
  </Stack>
);

const LastRun = ({ of: { finishedAt, seen, changed, removed } }: { of: Source }) => (
  <>
    <When at={finishedAt} />: {count(seen)} seen, {count(changed)} new or changed, {count(removed)} gone
  </>
);

const Problems = ({ of: { problemCount, problems } }: { of: Source }) => (
  <div>
    <Title order={3} mb="xs">
      {problemCount === 1 ? 'One was left out' : `${count(problemCount)} were left out`}
    </Title>
    <Table aria-label="What was left out" withTableBorder>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Document</Table.Th>
          <Table.Th>Why</Table.Th>
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
        The first {problems.length} are shown.
      </Text>
    )}
  </div>
);
